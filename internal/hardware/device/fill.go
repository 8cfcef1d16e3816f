package device

import (
	"encoding/binary"
	"fmt"

	"hyptx/analysis"
	"hyptx/internal/hardware/cuda"
	"hyptx/internal/manifest"
)

// Contents. A buffer may be larger than what the host has to spare, so that it is
// made and copied piece by piece from the same sources as the emulator's, at the
// same offsets: both machines begin with the same bytes. The exception are tables
// of pointers, since a buffer lies elsewhere on each machine; they are made anew
// from what the manifest says they point to.

// chunkBytes is how much the host makes or copies at a time.
const chunkBytes = 4 << 20

// Fill gives buffers and variables their contents at the start. What the
// manifest leaves open is zero, as in the emulator.
func (p *Program) Fill() error {
	m := p.s.Manifest
	for _, b := range m.Buffers {
		if err := p.fill(p.buffers[b], b.Bytes, b.Init, b); err != nil {
			return m.Errorf(b.Path, "%w", err)
		}
	}
	for _, sym := range m.Symbols {
		if err := p.writeSymbol(sym.SymbolRef, sym.Init); err != nil {
			return m.Errorf(sym.Path, "%w", err)
		}
	}
	return nil
}

// fill writes what a source gives, described by init where that is there: of
// pointers the description counts, the source has the emulator's addresses.
func (p *Program) fill(to cuda.DevicePointer, bytes int64, init *manifest.Init, src manifest.Source) error {
	switch {
	case init == nil || init.Kind == manifest.InitZero:
		return p.c.Set8(to, 0, uint64(bytes))
	case init.Kind == manifest.InitPointers:
		return p.c.CopyIn(to, p.pointers(init))
	}
	return p.write(to, bytes, src)
}

// write writes what a source gives.
func (p *Program) write(to cuda.DevicePointer, bytes int64, src manifest.Source) error {
	buf := make([]byte, min(bytes, chunkBytes))
	for at := int64(0); at < bytes; at += chunkBytes {
		part := buf[:min(chunkBytes, bytes-at)]
		if err := src.Fill(part, at); err != nil {
			return err
		}
		if err := p.c.CopyIn(to+cuda.DevicePointer(at), part); err != nil {
			return err
		}
	}
	return nil
}

// pointers are the GPU's addresses of what a table of pointers names.
func (p *Program) pointers(init *manifest.Init) []byte {
	var table []byte
	for _, q := range init.Pointers {
		table = binary.LittleEndian.AppendUint64(table, uint64(p.address(q)))
	}
	return table
}

// writeSymbol gives a variable contents.
func (p *Program) writeSymbol(ref manifest.SymbolRef, init *manifest.Init) error {
	v, err := p.s.Variable(ref)
	if err != nil {
		return err
	}
	bytes := v.Bytes - ref.Offset
	src, err := init.Source(analysis.VariableType(v), bytes)
	if err != nil {
		return err
	}
	to, err := p.variable(ref, bytes)
	if err != nil {
		return err
	}
	return p.fill(to, bytes, init, src)
}

// variable returns the place of bytes of a variable on the GPU.
func (p *Program) variable(ref manifest.SymbolRef, bytes int64) (cuda.DevicePointer, error) {
	at, size, err := p.modules[ref.Module].loaded.Global(ref.Name)
	if err != nil {
		return 0, err
	}
	if uint64(ref.Offset)+uint64(bytes) > size {
		return 0, fmt.Errorf("bytes %d to %d lie outside the %d of variable %s", ref.Offset, ref.Offset+bytes, size, ref.Name)
	}
	return at + cuda.DevicePointer(ref.Offset), nil
}

// host does what stands between launches.
func (p *Program) host(step *manifest.Step) error {
	switch {
	case step.Copy != nil:
		return p.copy(step.Copy)
	case step.Memset != nil && step.Memset.Bits == 0:
		return p.c.Set8(p.address(step.Memset.To), 0, uint64(step.Memset.Bytes))
	case step.Memset != nil:
		return p.write(p.address(step.Memset.To), step.Memset.Bytes, step.Memset)
	case step.Write.Buffer != nil:
		b := step.Write.Buffer
		return p.fill(p.buffers[b], b.Bytes, step.Write.Init, step.Write.Source)
	}
	return p.writeSymbol(step.Write.Symbol, step.Write.Init)
}

// copy copies as memmove does. The driver does not say what it makes of ranges
// that overlap: they go through the host.
func (p *Program) copy(c *manifest.Copy) error {
	from, to := p.address(c.From), p.address(c.To)
	distance := int64(to) - int64(from)
	if distance >= c.Bytes || -distance >= c.Bytes {
		return p.c.CopyDevice(to, from, uint64(c.Bytes))
	}
	buf := make([]byte, min(c.Bytes, chunkBytes))
	for done := int64(0); done < c.Bytes; done += chunkBytes {
		n := min(chunkBytes, c.Bytes-done)
		at := done
		if distance > 0 { // backwards, so that nothing is overwritten before it is read
			at = c.Bytes - done - n
		}
		if err := p.c.CopyOut(buf[:n], from+cuda.DevicePointer(at)); err != nil {
			return err
		}
		if err := p.c.CopyIn(to+cuda.DevicePointer(at), buf[:n]); err != nil {
			return err
		}
	}
	return nil
}
