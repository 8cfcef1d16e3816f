package silicon

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"hyptx/internal/gpu"
)

// Data sets call boards as people do: "Quadro RTX 8000", "Tesla K80", "RTX A4000". A
// GPU's file has a short name, the product's title and aliases; of all these the
// brand does not matter ("GeForce GTX 1080 Ti" is a "GTX 1080 Ti"), nor what stands
// behind a comma of a title ("Tesla K80, one GPU").

// brands are words that do not tell boards apart.
var brands = []string{"nvidia", "geforce", "tesla", "quadro"}

// plain is a board's name without what does not matter in it.
func plain(name string) string {
	name, _, _ = strings.Cut(strings.ToLower(name), ",")
	words := strings.FieldsFunc(name, func(r rune) bool { return r == ' ' || r == '-' || r == '_' })
	words = slices.DeleteFunc(words, func(w string) bool { return slices.Contains(brands, w) })
	return strings.Join(words, "")
}

// called reports whether a GPU goes by a name.
func called(g *gpu.GPU, name string) bool {
	names := append([]string{g.Name, g.Title}, g.Aliases...)
	if g.File != "" {
		stem, _, _ := strings.Cut(filepath.Base(g.File), ".")
		names = append(names, stem)
	}
	return slices.ContainsFunc(names, func(n string) bool { return plain(n) == plain(name) })
}

// board returns the GPU of a name: of those that were asked for, if any were; else
// one that hyptx knows; else one of the folder.
func (f *Folder) board(name string, asked []*gpu.GPU) (*gpu.GPU, error) {
	if asked != nil {
		if g := find(asked, name); g != nil {
			return g, nil
		}
		return nil, errNotAsked
	}
	if !gpu.IsFile(name) { // a table names boards, not files
		if g, err := gpu.Get(name); err == nil {
			return g, nil
		}
	}
	var known []*gpu.GPU
	for _, n := range gpu.Names() {
		if g, err := gpu.Get(n); err == nil {
			known = append(known, g)
		}
	}
	if g := find(append(known, f.gpus...), name); g != nil {
		return g, nil
	}
	return nil, fmt.Errorf("no GPU goes by the name %s: hyptx gpus lists those that do; a file of the board may lie in gpus/ of the folder", name)
}

// errNotAsked is the error of boards that nobody asked for.
var errNotAsked = errors.New("the GPU is none of those that were asked for")

func find(list []*gpu.GPU, name string) *gpu.GPU {
	if i := slices.IndexFunc(list, func(g *gpu.GPU) bool { return called(g, name) }); i >= 0 {
		return list[i]
	}
	return nil
}

// at returns a GPU with the clock of its SMs in MHz at which a row was measured.
// What was measured at another clock stands, as it would in a GPU's file.
func at(g *gpu.GPU, mhz float64) *gpu.GPU {
	c := *g
	c.Clock.BoostMHz = &gpu.Float{Value: mhz, Source: "the row's sm_mhz"}
	return &c
}
