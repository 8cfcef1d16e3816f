package sass

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"hyptx/ir/isa"
)

// Folder is where CUDA's installers put the tools.
const Folder = "/usr/local/cuda/bin"

// Toolkit is an installation of NVIDIA's tools.
type Toolkit struct {
	ptxas, cuobjdump, nvdisasm string
	// Versions are the tools' own words, one a tool.
	Versions []string
	// PTX is the latest PTX version that ptxas reads, as major*100+minor.
	PTX int
	dir string // for the files in between
}

// Find looks for the tools on PATH, then in [Folder], and asks them for their
// versions. tempDir holds what is compiled; the caller removes it.
func Find(ctx context.Context, tempDir string) (*Toolkit, error) {
	t := &Toolkit{dir: tempDir}
	for _, tool := range []struct {
		name string
		path *string
	}{{"ptxas", &t.ptxas}, {"cuobjdump", &t.cuobjdump}, {"nvdisasm", &t.nvdisasm}} {
		path, err := Locate(tool.name)
		if err != nil {
			return nil, err
		}
		*tool.path = path
		out, err := command(ctx, path, "--version")
		if err != nil {
			return nil, err
		}
		t.Versions = append(t.Versions, tool.name+" "+versionOf(out))
	}
	return t, t.askPTX(ctx)
}

// Locate finds a tool on PATH or in [Folder].
func Locate(name string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return filepath.Abs(path)
	}
	path := filepath.Join(Folder, name)
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%s is neither on PATH nor in %s", name, Folder)
	}
	return path, nil
}

var releaseText = regexp.MustCompile(`V\d+\.\d+\.\d+|[Vv]ersion \d[\d.]*`)

// versionOf finds the version in what a tool says of itself.
func versionOf(text string) string {
	if v := releaseText.FindString(text); v != "" {
		return v
	}
	return "of unknown version"
}

// askPTX finds the latest PTX version that ptxas reads.
func (t *Toolkit) askPTX(ctx context.Context) error {
	path := filepath.Join(t.dir, "version.ptx")
	if err := os.WriteFile(path, []byte(VersionProbe), 0o644); err != nil {
		return err
	}
	_, err := command(ctx, t.ptxas, "-arch=sm_80", "-o", filepath.Join(t.dir, "version.cubin"), path)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err == nil {
		return errors.New("ptxas takes PTX 99.9: it is no ptxas")
	}
	v, ok := ReadVersion(err.Error())
	if !ok {
		return fmt.Errorf("asked for its PTX version, ptxas said: %w", err)
	}
	t.PTX = v
	return nil
}

// command runs a tool and returns what it printed. The error holds the first
// lines of what it said.
func command(ctx context.Context, name string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Env = append(os.Environ(), "LC_ALL=C")
	var out, errOut bytes.Buffer
	c.Stdout, c.Stderr = &out, &errOut
	err := c.Run()
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %s", filepath.Base(name), firstLines(errOut.String()+out.String(), err))
	}
	return out.String() + errOut.String(), nil
}

// firstLines shortens what a tool said to two lines.
func firstLines(text string, err error) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && len(lines) < 2 {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return err.Error()
	}
	return strings.Join(lines, "; ")
}

// Compiler is ptxas for an architecture.
func (t *Toolkit) Compiler(target isa.Target) Compiler { return Compiler{target, t.PTX} }

// Architectures returns those of the list that this ptxas compiles for, and
// for the others why not.
func (t *Toolkit) Architectures(ctx context.Context, targets []isa.Target) (known []isa.Target, refused []string) {
	for _, target := range targets {
		text := fmt.Sprintf(".version %s\n.target %s\n.address_size 64\n.visible .entry k() { ret; }\n", versionText(t.PTX), target)
		if _, _, err := t.compile(ctx, "arch_"+target.String(), []byte(text), target); err != nil {
			refused = append(refused, fmt.Sprintf("%s: %v", target, err))
			continue
		}
		known = append(known, target)
	}
	return known, refused
}

// resources are what ptxas -v says of a kernel.
type resources struct{ registers, stack, spill int }

var (
	entryText     = regexp.MustCompile(`(?:Compiling entry function|Function properties for) '?([^'\s]+)'?`)
	registersText = regexp.MustCompile(`Used (\d+) registers`)
	stackText     = regexp.MustCompile(`(\d+) bytes stack frame, (\d+) bytes spill stores`)
)

// compile makes a cubin and returns its path and the kernels' resources. name
// is that of its files, which must be its own.
func (t *Toolkit) compile(ctx context.Context, name string, ptx []byte, target isa.Target) (cubin string, used map[string]resources, err error) {
	path := filepath.Join(t.dir, name+".ptx")
	if err := os.WriteFile(path, ptx, 0o644); err != nil {
		return "", nil, err
	}
	defer os.Remove(path)
	cubin = filepath.Join(t.dir, name+".cubin")
	said, err := command(ctx, t.ptxas, "-v", "-lineinfo", "-arch="+target.String(), "-o", cubin, path)
	if err != nil {
		return "", nil, errors.New(strings.ReplaceAll(err.Error(), path, filepath.Base(path)))
	}
	return cubin, readResources(said), nil
}

// readResources reads what ptxas -v prints.
func readResources(text string) map[string]resources {
	used := map[string]resources{}
	name := ""
	for line := range strings.Lines(text) {
		if m := entryText.FindStringSubmatch(line); m != nil {
			name = m[1]
		}
		r := used[name]
		if m := registersText.FindStringSubmatch(line); m != nil {
			r.registers, _ = strconv.Atoi(m[1])
		}
		if m := stackText.FindStringSubmatch(line); m != nil {
			r.stack, _ = strconv.Atoi(m[1])
			r.spill, _ = strconv.Atoi(m[2])
		}
		used[name] = r
	}
	return used
}
