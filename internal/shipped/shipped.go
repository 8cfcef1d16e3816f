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
	"hyptx/internal/spelling"
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
	all := slices.Clone(list)
	list = slices.DeleteFunc(list, func(s Program) bool {
		match, wrong := path.Match(pattern, s.Name)
		if wrong != nil {
			err = fmt.Errorf("%s: %w", pattern, wrong)
		}
		return !match
	})
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("no program is named %s%s; `hyptx samples` lists them", pattern, near(pattern, all))
	}
	return list, err
}

// mistyped is how many letters of a name may be wrong, nearby how many are proposed.
const (
	mistyped = 2
	nearby   = 3
)

// near proposes programs whose names are nearly so, or are so without their folder: the
// nearest. hypa/resnt50 is near hypa/resnet50, and resnet50 is that in every folder.
func near(name string, all []Program) string {
	least, found := mistyped+1, []string(nil)
	for _, s := range all {
		d := min(spelling.Distance(name, s.Name), spelling.Distance(name, path.Base(s.Name)))
		if d < least {
			least, found = d, nil
		}
		if d == least && d <= min(mistyped, len(name)/3) {
			found = append(found, s.Name)
		}
	}
	if found == nil {
		return ""
	}
	if len(found) > nearby {
		found = append(found[:nearby], "...")
	}
	return " (did you mean " + strings.Join(found, " or ") + "?)"
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
