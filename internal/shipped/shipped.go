// Package shipped lists the programs that ship with hyptx and gives their files: kernels
// and programs of papers as they stand in ptx-samples, networks as package networks makes
// them. Start with [List].
package shipped

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"hyptx/internal/networks"
	ptxsamples "hyptx/ptx-samples"
)

// Program is a program.
type Program struct {
	// Name is FOLDER/PROGRAM; the manifest is Name.json.
	Name string
	text func() ([]byte, error)
}

// Folders are the folders of names, and what is in them.
var Folders = []struct{ Name, About string }{
	{"kernels", "our CNN kernels, each on small tensors"},
	{"benchmarks", "programs of the papers' suites, at published and at small sizes"},
	{"networks", "networks, with several algorithms of convolution"},
	{"hypa", "HyPA's 32 networks, as Keras and BiT have them"},
}

// List lists all of them, folder by folder.
func List() ([]Program, error) {
	var list []Program
	for _, folder := range Folders {
		paths, err := fs.Glob(ptxsamples.Files, folder.Name+"/*.json")
		if err != nil {
			return nil, err
		}
		for _, p := range paths {
			list = append(list, Program{strings.TrimSuffix(p, ".json"), func() ([]byte, error) { return ptxsamples.Files.ReadFile(p) }})
		}
		for _, n := range map[string][]networks.Network{"networks": networks.Ours, "hypa": networks.HyPA()}[folder.Name] {
			list = append(list, Program{path.Join(folder.Name, n.Name), n.Manifest})
		}
	}
	return list, nil
}

// Matching lists those that a name or a pattern (as hypa/resnet*) means.
func Matching(pattern string) ([]Program, error) {
	list, err := List()
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(s Program) bool {
		match, wrong := path.Match(pattern, s.Name)
		if wrong != nil {
			err = fmt.Errorf("%s: %w", pattern, wrong)
		}
		return !match
	})
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("no program is named %s; `hyptx samples` lists them", pattern)
	}
	return list, err
}

// modules are the PTX files that a manifest names.
var modules = regexp.MustCompile(`"([^"]+\.ptx)"`)

// Files adds the sample's files to those that there are, by their paths in a folder: the
// manifest, and the PTX that it names.
func (s Program) Files(files map[string][]byte) error {
	text, err := s.text()
	if err != nil {
		return err
	}
	files[s.Name+".json"] = text
	named := map[string]bool{}
	for _, m := range modules.FindAllSubmatch(text, -1) {
		named[path.Join(path.Dir(s.Name), string(m[1]))] = true
	}
	for _, p := range slices.Sorted(maps.Keys(named)) {
		if files[p], err = ptxsamples.Files.ReadFile(p); err != nil {
			return err
		}
	}
	return nil
}
