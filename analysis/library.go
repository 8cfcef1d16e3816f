package analysis

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"hyptx/internal/devicelib"
	"hyptx/ir"
	"hyptx/parser"
)

// Functions of CUDA's that a module calls and does not define (libdevice, vprintf, malloc
// and their like) are linked to it here, as package devicelib has them. What they execute
// on a GPU nobody can tell from PTX: none of it is counted, and a launch that calls one is
// assumed.

// libraryFile is what the module of these functions is called.
const libraryFile = "CUDA's device library"

// withLibrary links the functions of CUDA's that a module lacks.
func withLibrary(mod *ir.Module, heapBytes int64) (*ir.Module, error) {
	missing := mod.Missing()
	if len(missing) == 0 {
		return mod, nil
	}
	var declared []devicelib.Declared
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		f := missing[name]
		d := devicelib.Declared{Name: name}
		for _, p := range f.Params {
			d.Params = append(d.Params, p.Bytes(f))
		}
		for _, r := range f.Returns {
			d.Result += r.Bytes(f)
		}
		declared = append(declared, d)
	}
	text, err := devicelib.Text(declared, mod.AddressSize/8, cmp.Or(heapBytes, devicelib.DefaultHeapBytes))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", mod.File, err)
	}
	if text == "" {
		return mod, nil
	}
	src, err := parser.Parse(libraryFile, []byte(text))
	if err != nil {
		return nil, err
	}
	library, err := ir.Lower(src, ir.AsLibrary)
	if err != nil {
		return nil, err
	}
	return ir.Link([]*ir.Module{mod, library})
}

// addLibrary does it for modules of a program, whose heap has the usual size.
func addLibrary(mods []*ir.Module) (err error) {
	for i := range mods {
		if mods[i], err = withLibrary(mods[i], 0); err != nil {
			return err
		}
	}
	return nil
}

// written returns the functions of a kernel's closure that somebody wrote in PTX: those of
// CUDA's stand for instructions that nobody knows.
func written(kernel *ir.Func) []*ir.Func {
	return slices.DeleteFunc(kernel.Closure(), func(f *ir.Func) bool { return f.Library })
}

// fileInstructions returns how many instructions of a module somebody wrote.
func (s *Session) fileInstructions(m *ir.Module) uint64 {
	n, known := s.written[m]
	if !known {
		n = instructions(m.Funcs)
		if s.written == nil {
			s.written = map[*ir.Module]uint64{}
		}
		s.written[m] = n
	}
	return n
}

// usesHeap reports whether a kernel may call malloc or free. Where a block lies depends on
// the order of all threads that ask for one, here and otherwise on a GPU.
func usesHeap(kernel *ir.Func) bool {
	return slices.ContainsFunc(kernel.Closure(), func(f *ir.Func) bool { return f.Library && devicelib.Heap(f.Name) })
}

// instructions returns how many instructions these functions have, those that somebody
// wrote.
func instructions(funcs []*ir.Func) (n uint64) {
	for _, f := range funcs {
		if !f.Library {
			n += uint64(f.End - f.First)
		}
	}
	return n
}
