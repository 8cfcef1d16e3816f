package hyptx_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// target is what hyptx is built for: "linux/arm64", or "linux/arm64,nocuda".
type target string

// targets are those of `make cross`, CUDA left out of one of them: that is files of ours alone.
func targets(t *testing.T) (all []target) {
	t.Helper()
	text, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^TARGETS *:= *(.*)$`).FindSubmatch(text)
	if m == nil {
		t.Fatal("the Makefile has no TARGETS")
	}
	for name := range strings.FieldsSeq(string(m[1])) {
		all = append(all, target(name))
	}
	return append(all, all[0]+",nocuda")
}

// parts are what `go list` is told of it.
func (of target) parts() (system, architecture, tags string) {
	platform, tags, _ := strings.Cut(string(of), ",")
	system, architecture, _ = strings.Cut(platform, "/")
	return system, architecture, tags
}

// listed is a package as `go list` tells of it.
type listed struct {
	ImportPath, Dir string
	GoFiles         []string
	ImportMap       map[string]string
	Module          *struct{ Main bool }
}

// packages lists what the program of a module consists of, what each imports before it.
func (of target) packages(module string) (list []listed, err error) {
	system, architecture, tags := of.parts()
	c := exec.Command("go", "list", "-deps", "-tags", tags, "-json=ImportPath,Dir,GoFiles,ImportMap,Module", "./cmd/hyptx")
	c.Dir, c.Env = module, append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+architecture)
	out, err := c.Output()
	if err != nil {
		return nil, err
	}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); err == io.EOF {
			return list, nil
		} else if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
}

// importing finds the packages that another one imports among those that were checked.
type importing struct {
	*listed
	checked map[string]*types.Package
}

// Import returns one.
func (i importing) Import(path string) (*types.Package, error) {
	if to, ok := i.ImportMap[path]; ok {
		path = to
	}
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if p := i.checked[path]; p != nil {
		return p, nil
	}
	return nil, errors.New(path + " was not checked before")
}

// check finds the types of all packages, of those that are not ours without what functions do.
func (of target) check(module string) error {
	list, err := of.packages(module)
	if err != nil {
		return err
	}
	_, architecture, _ := of.parts()
	checked, set := map[string]*types.Package{}, token.NewFileSet()
	for i := range list {
		p := &list[i]
		if p.ImportPath == "unsafe" {
			continue
		}
		ours := p.Module != nil && p.Module.Main
		var files []*ast.File
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			files = append(files, f)
		}
		c := types.Config{Importer: importing{p, checked}, Sizes: types.SizesFor("gc", architecture), IgnoreFuncBodies: !ours}
		if checked[p.ImportPath], err = c.Check(p.ImportPath, set, files, nil); err != nil {
			return err
		}
	}
	return nil
}

// TestTargets: for each target all that hyptx consists of has the types that it should. To
// compile it for each (`make cross`) takes longer than all tests, most of it for the standard library.
func TestTargets(t *testing.T) {
	room := make(chan bool, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for _, of := range targets(t) {
		all.Go(func() {
			room <- true
			if err := of.check("."); err != nil {
				t.Errorf("%s: %v", of, err)
			}
			<-room
		})
	}
	all.Wait()
}

// TestTargetsFail: what another system has none of is found.
func TestTargetsFail(t *testing.T) {
	module := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module other\n", "cmd/hyptx/main.go": "package main\n\nimport \"syscall\"\n\nfunc main() { syscall.Kill(1, 0) }\n"} {
		path := filepath.Join(module, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if err := target("linux/amd64").check(module); err != nil {
		t.Error(err)
	}
	if err := target("windows/amd64").check(module); err == nil || !strings.Contains(err.Error(), "undefined: syscall.Kill") {
		t.Errorf("%v, want that syscall.Kill is undefined", err)
	}
}
