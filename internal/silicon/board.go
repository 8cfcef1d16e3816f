package silicon

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"hyptx/internal/gpu"
)

// Data sets call boards as people do: "Quadro RTX 8000", "Tesla K80", "V100". A GPU's
// file has a short name, the product's title and aliases; of all these the brand does
// not matter ("GeForce GTX 1080 Ti" is a "GTX 1080 Ti"), nor what stands behind a comma
// or in brackets ("Tesla K80, one GPU"). Where the folder has a file of the board, its
// title says better which one it was ("V100 PCIe"). What hyptx knows of a board comes
// before such a file, but for the bandwidth of its memory, which says at which clock
// of the memory the rows were measured.

// brands are words that do not tell boards apart.
var brands = []string{"nvidia", "geforce", "tesla", "quadro"}

// plain is a board's name without what does not matter in it.
func plain(name string) string {
	name = strings.ToLower(name)
	if end := strings.IndexAny(name, ",("); end >= 0 {
		name = name[:end]
	}
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

func find(list []*gpu.GPU, name string) *gpu.GPU {
	if i := slices.IndexFunc(list, func(g *gpu.GPU) bool { return called(g, name) }); i >= 0 {
		return list[i]
	}
	return nil
}

// board is what rows were measured on: a GPU, and the folder's file of it, nil if it
// has none.
type board struct{ gpu, file *gpu.GPU }

// errNotAsked is the error of boards that nobody asked for.
var errNotAsked = errors.New("the GPU is none of those that were asked for")

// board returns the board of a name: of those that were asked for, if any were; else
// one that hyptx knows; else one of the folder.
func (f *Folder) board(name string, asked []*gpu.GPU) (*board, error) {
	b := &board{file: find(f.gpus, name)}
	title := name
	if b.file != nil {
		title = b.file.Title
	}
	switch {
	case asked != nil:
		for _, n := range []string{title, name} {
			if g := find(asked, n); g != nil && b.gpu == nil {
				b.gpu = g
			}
		}
		if b.gpu == nil {
			return nil, errNotAsked
		}
		if b.gpu.File != "" { // the user's file is meant as it is
			b.file = nil
		}
	case find(builtIn(), title) != nil:
		b.gpu = find(builtIn(), title)
	case b.file != nil:
		b.gpu, b.file = b.file, nil
	default:
		return nil, fmt.Errorf("no GPU goes by the name %s: `hyptx gpus` lists those that do; a file of the board may lie in gpus/ of the folder", name)
	}
	return b, nil
}

// builtIn are the GPUs that need no file.
func builtIn() (list []*gpu.GPU) {
	for _, n := range gpu.Names() {
		if g, err := gpu.Get(n); err == nil {
			list = append(list, g)
		}
	}
	return list
}

// at returns the board at the clocks in MHz at which a row was measured, 0 for those
// that nobody recorded.
func (b *board) at(mhz, memMHz float64) *gpu.GPU {
	own := b.gpu.DRAM.BandwidthGBPerS
	if b.file != nil && b.file.DRAM.BandwidthGBPerS.Known() && own.Known() {
		of := b.file.DRAM.BandwidthGBPerS
		return b.gpu.WithBandwidth(of.Value, of.Source).At(mhz, 0, "the row's clock")
	}
	return b.gpu.At(mhz, memMHz, "the row's clock")
}
