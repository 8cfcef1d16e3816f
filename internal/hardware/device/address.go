package device

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"hyptx/analysis"
	"hyptx/internal/hardware/cuda"
	"hyptx/internal/manifest"
)

// Addresses. The emulator chose the addresses in the packed arguments; on a GPU the
// driver does. Each pointer of a manifest is kept as a buffer and an offset, with
// the place where it stands among the arguments, and is written over with the
// GPU's address there. What looks like an address but was given as a number stays
// as it is: nothing can tell what was meant.

// module is a manifest's module on the GPU.
type module struct {
	loaded *cuda.Module
	// functions are those whose address an argument holds: the driver gives
	// addresses of variables only, so that each has a variable that points to it.
	functions []string
}

// load compiles the modules.
func (p *Program) load() error {
	m := p.s.Manifest
	for _, mod := range m.Modules {
		md := &module{functions: p.functionArgs(mod)}
		text := bytes.Clone(p.s.Text(mod))
		if text == nil {
			return m.Errorf(mod.Path, "a module linked from several files is not loaded on a GPU by this version")
		}
		for i, f := range md.functions {
			text = fmt.Appendf(text, "\n.visible .global .align 8 .u64 %s = %s;\n", functionVariable(i), f)
		}
		var err error
		if md.loaded, err = p.c.Load(text); err != nil {
			if mod.Files[0] != m.File {
				err = fmt.Errorf("%s: %w", mod.Files[0], err)
			}
			return m.Errorf(mod.Path, "%w", err)
		}
		p.modules[mod] = md
	}
	return nil
}

// functionVariable is the name of the variable that points to a function.
func functionVariable(i int) string { return fmt.Sprintf("hyptx_function_%d", i) }

// functionArgs lists the functions whose addresses the launches of a module take.
func (p *Program) functionArgs(mod *manifest.Module) []string {
	var names []string
	var add func(a *manifest.Arg)
	add = func(a *manifest.Arg) {
		if a.Kind == manifest.ArgFunction && !slices.Contains(names, a.Name) {
			names = append(names, a.Name)
		}
		for i := range a.Fields {
			add(&a.Fields[i].Arg)
		}
	}
	seen := map[*manifest.Launch]bool{}
	for step := range p.s.Manifest.All() {
		if l := step.Launch; l != nil && l.Module == mod && !seen[l] {
			seen[l] = true
			for i := range l.Args {
				add(&l.Args[i])
			}
		}
	}
	return names
}

// Symbol returns where a variable lies on the GPU (manifest.Resolver).
func (p *Program) Symbol(m *manifest.Module, name string) (uint64, int64, error) {
	at, n, err := p.modules[m].loaded.Global(name)
	return uint64(at), int64(n), err
}

// Function returns the address of a function on the GPU (manifest.Resolver).
func (p *Program) Function(m *manifest.Module, name string) (uint64, error) {
	md := p.modules[m]
	at, _, err := md.loaded.Global(functionVariable(slices.Index(md.functions, name)))
	if err != nil {
		return 0, err
	}
	var address [8]byte
	err = p.c.CopyOut(address[:], at)
	return binary.LittleEndian.Uint64(address[:]), err
}

// address is where a pointer of the manifest points on the GPU.
func (p *Program) address(q manifest.Pointer) cuda.DevicePointer {
	if q.Buffer == nil {
		return 0
	}
	return p.buffers[q.Buffer] + cuda.DevicePointer(q.Offset)
}

// allocAlign is the alignment that the driver gives at least (CUDA C++
// Programming Guide, device memory accesses).
const allocAlign = 256

// allocate gives each buffer its memory.
func (p *Program) allocate() error {
	m := p.s.Manifest
	for _, b := range m.Buffers {
		align := uint64(max(b.Align, allocAlign))
		at, err := p.c.Alloc(uint64(b.Bytes) + align - allocAlign)
		if err != nil {
			return m.Errorf(b.Path, "%d bytes: %w%s", b.Bytes, err, p.room(err))
		}
		p.freeing = append(p.freeing, at)
		p.buffers[b] = cuda.DevicePointer((uint64(at) + align - 1) &^ (align - 1))
	}
	return nil
}

// room says how much memory there is, if an allocation failed for want of it.
func (p *Program) room(err error) string {
	if e, ok := err.(*cuda.Error); !ok || !e.OutOfMemory() {
		return ""
	}
	free, total, err := p.c.MemoryInfo()
	if err != nil {
		return ""
	}
	var all int64
	for _, b := range p.s.Manifest.Buffers {
		all += b.Bytes
	}
	return fmt.Sprintf("; the buffers take %d bytes together, %s has %d, of which %d are still free", all, p.c.Device.Name, total, free)
}

// pack puts each launch's arguments in place with the GPU's addresses.
func (p *Program) pack() error {
	for _, l := range p.launches {
		k, params := p.kernels[l], analysis.Params(p.s.Kernel(l))
		block, err := p.s.Manifest.PackArgs(l, params, p)
		if err != nil {
			return err
		}
		for _, q := range block.Pointers {
			place := block.Data[q.At : q.At+8]
			if binary.LittleEndian.Uint64(place) == q.Address() { // else a later field of the struct lies over it
				binary.LittleEndian.PutUint64(place, uint64(p.address(q.Pointer)))
			}
		}
		for i, at := range block.Offsets {
			k.launch.Params = append(k.launch.Params, block.Data[at:at+params[i].Bytes])
		}
	}
	return nil
}
