package emulator

import (
	"hyptx/internal/tensormap"
	"hyptx/ir"
)

// A copy by a tensor map may bring what counts in the place of what the map says: where the
// tensor begins, how large it is, and how far its rows and planes lie apart (PTX ISA
// 9.7.10.28.5.2). The map itself stays as it is.

// overrides are those of an instruction, in the order in which it has them.
type overrides struct {
	address      operand
	sizes, lower []operand // of dimensions; the lower 32 bits of strides
	upper        operand   // 4 bits of each stride above those
	given        int       // how many of these there are
}

// overrides decodes what stands between a map and its coordinates.
func (c *compiler) overrides(in *ir.Instr, parts []ir.Operand) (o overrides) {
	o.given = len(parts)
	for i := range parts {
		switch i {
		case 0:
			o.address = c.place(in, &parts[i])
		case 1:
			o.sizes = c.elements(in, &parts[i])
		case 2:
			o.lower = c.elements(in, &parts[i])
		case 3:
			o.upper = c.place(in, &parts[i])
		}
	}
	return o
}

// override puts what a lane has brought into a map. A size is the lower 8 bits of its register,
// and strides are in units of 16 bytes.
func (a *asyncWork) override(o *overrides, m *tensormap.Map) {
	if o.given == 0 {
		return
	}
	if m.Address = wide(a.w.slot(o.address))[a.lane]; m.Address%chunk != 0 {
		a.w.fail(a.in, 1<<a.lane, "a tensor at %#x in the place of its map's; it must be a multiple of %d", m.Address, chunk)
	}
	for i, s := range o.sizes {
		m.Dims[i] = uint64(a.w.slot(s)[a.lane] & 0xff)
	}
	for i, s := range o.lower {
		upper := uint64(a.w.slot(o.upper)[a.lane] >> (4 * i) & 0xf)
		m.Strides[i+1] = (uint64(a.w.slot(s)[a.lane]) | upper<<32) << 4
	}
}
