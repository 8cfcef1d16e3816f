package gpu

import (
	"embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"hyptx/internal/spelling"
	"hyptx/internal/textfile"
)

//go:embed data/*.json
var data embed.FS

// read are the GPUs whose files have been read, by name: most runs need one of them.
var read sync.Map

// known reads the file of the GPU of a name; there is one.
func known(name string) (*GPU, error) {
	if g, ok := read.Load(name); ok {
		return g.(*GPU), nil
	}
	file := "data/" + name + ".json"
	text, err := data.ReadFile(file)
	if err != nil {
		return nil, err
	}
	g, err := Read(file, text)
	if err != nil {
		return nil, err
	}
	if g.Name != name {
		return nil, fmt.Errorf("%s: name: %q must be the file's name without .json", file, g.Name)
	}
	first, _ := read.LoadOrStore(name, g)
	return first.(*GPU), nil
}

// readAll reads the files of all GPUs that are known without one, sorted by name.
func readAll() (all []*GPU, err error) {
	for _, name := range Names() {
		g, wrong := known(name)
		if wrong == nil {
			all = append(all, g)
		}
		err = errors.Join(err, wrong)
	}
	return all, err
}

// embedded are the GPUs that hyptx knows, sorted by name.
func embedded() []*GPU {
	all, err := readAll()
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return all
}

// Names returns the names of the GPUs that are known without a file, sorted.
func Names() []string { return slices.Clone(names()) }

var names = sync.OnceValue(func() (names []string) {
	entries, err := data.ReadDir("data")
	if err != nil {
		panic("BUG: " + err.Error())
	}
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".json"))
	}
	slices.Sort(names)
	return names
})

// IsFile reports whether a name is that of a user's file, packed or not.
func IsFile(name string) bool {
	return strings.HasSuffix(strings.TrimSuffix(strings.ToLower(name), ".gz"), ".json")
}

// Get returns a GPU by its name or an alias (upper or lower case; blanks, "-"
// and "_" do not matter), or reads a user's file, whose name ends in ".json" or ".json.gz".
// Behind either may stand changes: gv100:sms=160,clock=1380 ([GPU.Like]).
// The GPU of a name is shared and must not be changed.
func Get(name string) (*GPU, error) {
	if base, changes := Base(name); changes != "" {
		g, err := Get(base)
		if err != nil {
			return nil, err
		}
		if g, err = g.Like(strings.Split(changes, ","), "given: "+name); err == nil {
			g.Spec = name
		}
		return g, err
	}
	if IsFile(name) {
		return readFile(name)
	}
	if slices.Contains(Names(), name) {
		return known(name)
	}
	for _, g := range embedded() {
		if plain(g.Name) == plain(name) || slices.ContainsFunc(g.Aliases, func(a string) bool { return plain(a) == plain(name) }) {
			return g, nil
		}
	}
	return nil, &NameError{name}
}

// NameError is that of a name that no GPU has.
type NameError struct{ Name string }

func (e *NameError) Error() string {
	return fmt.Sprintf("no GPU is known by the name %q%s; known are %s, or give a file *.json", e.Name, similar(e.Name), strings.Join(Names(), ", "))
}

// plain is a name without what does not matter in it.
func plain(name string) string {
	return strings.NewReplacer(" ", "", "-", "", "_", "").Replace(strings.ToLower(name))
}

// mistyped is how many letters a name may be off to be proposed.
const mistyped = 2

// similar proposes the GPUs whose names hold the text or are held by it; where
// there are none, those of which a few letters were mistyped.
func similar(name string) string {
	var found []string
	for _, g := range embedded() {
		if p := plain(name); len(p) > 1 && (strings.Contains(plain(g.Name), p) || strings.Contains(p, plain(g.Name))) {
			found = append(found, g.Name)
		}
	}
	if len(found) == 0 {
		for _, g := range embedded() {
			near := func(n string) bool { return spelling.Distance(plain(n), plain(name)) <= min(mistyped, len(name)/3) }
			if near(g.Name) || slices.ContainsFunc(g.Aliases, near) {
				found = append(found, g.Name)
			}
		}
	}
	if len(found) == 0 {
		return ""
	}
	return " (did you mean " + strings.Join(found, " or ") + "?)"
}

// readFile reads a user's file, unpacked if it is gzipped, up to its limit.
func readFile(path string) (*GPU, error) {
	_, text, err := textfile.Read(path, nil, maxFileBytes)
	if err != nil {
		return nil, fmt.Errorf("cannot read the GPU's file: %w", err)
	}
	g, err := Read(path, text)
	if err == nil {
		g.File = path
	}
	return g, err
}

// Twice is the error of two GPUs of one label; name is the second one's, as the
// user wrote it.
func Twice(label, name string) error {
	if IsFile(name) {
		return fmt.Errorf("the list of GPUs has %s twice: if %s is another GPU, change `name` in it", label, name)
	}
	return fmt.Errorf("the list of GPUs has %s twice", label)
}

// List returns the GPUs of a comma list of names and files, as --gpu takes it.
func List(spec string) ([]*GPU, error) {
	var list []*GPU
	for _, name := range Specs(strings.Split(spec, ",")) {
		if name == "" {
			return nil, errors.New("the list of GPUs has an empty name; write it as gv100,a100,my.json")
		}
		g, err := Get(name)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(list, func(o *GPU) bool { return o.Label() == g.Label() }) {
			return nil, Twice(g.Label(), name)
		}
		list = append(list, g)
	}
	return list, nil
}
