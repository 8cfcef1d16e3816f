package golden

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hyptx/analysis"
	"hyptx/internal/source"
	"hyptx/ptx-samples/features"
)

// Sample is a program that is run for goldens.
type Sample struct {
	// Name as in [Program].
	Name string
	// Source is its manifest.
	Source source.File
	// Feature is the feature program; nil for the others.
	Feature *features.Sample
}

// Kinds of samples, the first part of their names.
const (
	featureKind = "features/"
	kernelKind  = "kernels/"
	networkKind = "networks/"
)

// architectures are the folders of ptx-samples/kernels.
var architectures = []string{"sm_70", "sm_80"}

// Samples lists the programs of the folder ptx-samples and the networks whose
// manifests are named: the feature programs, the kernels for each
// architecture, the networks, each by name. The folder's own networks are not
// among them.
func Samples(dir string, networks []string) ([]Sample, error) {
	all, err := features.All()
	if err != nil {
		return nil, err
	}
	var list []Sample
	for _, f := range all {
		path := filepath.Join(dir, "features", f.File())
		if here, err := os.ReadFile(path); err != nil {
			return nil, fmt.Errorf("%w; the folder of samples must be ptx-samples of the same version as the program", err)
		} else if !bytes.Equal(here, f.Text) {
			return nil, fmt.Errorf("%s is not the file that this hyptx was built with", path)
		}
		text, err := f.Manifest()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		list = append(list, Sample{featureKind + f.Name, source.File{Name: strings.TrimSuffix(path, ".ptx") + ".json", Text: text}, f})
	}
	kernels, err := filepath.Glob(filepath.Join(dir, "kernels", "*.json"))
	if err != nil {
		return nil, err
	}
	for _, arch := range architectures {
		for _, path := range kernels {
			text, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			text = bytes.ReplaceAll(text, []byte(architectures[0]+"/"), []byte(arch+"/"))
			list = append(list, Sample{kernelKind + arch + "/" + base(path), source.File{Name: path, Text: text}, nil})
		}
	}
	for _, path := range networks {
		src, err := source.Read(path, nil)
		if err != nil {
			return nil, err
		}
		list = append(list, Sample{networkKind + base(path), src, nil})
	}
	return list, nil
}

// base is a manifest's name without folder and endings.
func base(path string) string {
	return strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".gz"), ".json")
}

// Networks lists the manifests that the arguments name: a manifest's file, or a
// folder with NAME.json in it or in its folder NAME, by name.
func Networks(args ...string) ([]string, error) {
	var out []string
	for _, dir := range args {
		if st, err := os.Stat(dir); err != nil {
			return nil, err
		} else if !st.IsDir() {
			out = append(out, dir)
			continue
		}
		flat, err := filepath.Glob(filepath.Join(dir, "*.json"))
		if err != nil {
			return nil, err
		}
		deep, err := filepath.Glob(filepath.Join(dir, "*", "*.json"))
		if err != nil {
			return nil, err
		}
		deep = slices.DeleteFunc(deep, func(p string) bool { return base(p) != filepath.Base(filepath.Dir(p)) })
		if len(flat)+len(deep) == 0 {
			return nil, fmt.Errorf("%s: no network in it; expected NAME.json or NAME/NAME.json", dir)
		}
		out = append(out, append(flat, deep...)...)
	}
	return out, nil
}

// Open opens the program.
func (s Sample) Open() (*analysis.Session, error) {
	return analysis.OpenManifest(s.Source, analysis.DefaultOptions())
}

// Inputs is the hash over what a run depends on ([Program.Inputs]).
func (s Sample) Inputs(session *analysis.Session) string {
	if s.Feature == nil {
		return analysis.HashInputs(session.Inputs)
	}
	h := sha256.New()
	for _, text := range [][]byte{s.Source.Text, s.Feature.Program()} {
		sum := sha256.Sum256(text)
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}
