package emulator

import (
	"math/bits"

	"hyptx/emulator/internal/abort"
	"hyptx/internal/order"
	"hyptx/internal/texel"
	"hyptx/internal/traffic"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// What fetches and accesses of surfaces move is found by doing them: a lane names a place in
// a texture, and the sampler says which elements that is, from none, beyond an edge, to eight.
// They are no pattern of addresses that a loop repeats, so that each request is counted
// sector by sector, as a bulk copy is, but through the L1, which holds textures and global
// memory alike since Maxwell ([recalled] Maxwell Tuning Guide, Unified L1/Texture Cache, not read
// again; before, textures had a cache of their own, which is not modelled).
//
// In linear memory elements lie where they are said to. An array lies on a GPU as its driver
// wants, in blocks of which nobody says the order for all GPUs. Its rows are taken to follow
// each other, as in the buffer that the manifest names, and such requests are counted among
// those at addresses that are assumed.

// addTexels makes a site of an access of a texture or surface.
func (c *compiler) addTexels(in *ir.Instr) {
	k := int32(len(c.prog.sites))
	c.prog.sites = append(c.prog.sites, site{Site: traffic.Site{PC: in.PC, Kind: kindOf(in.Inst), Size: 1}, space: isa.Global, width: 1, leader: k, texels: true})
}

// placeOrigins returns the places of the origins of what says which elements an access means: the
// coordinates and whatever else it is given, but for what is stored or compared with.
func (c *compiler) placeOrigins(in *ir.Instr) []int32 {
	var says []ir.Operand
	for i := range in.Ops() {
		if name := in.Inst.Form.Operands[i].Name; name != "d" && name != "c" && name != "f" {
			says = append(says, in.Ops()[i])
		}
	}
	return c.partOrigins(in, says)
}

// countTexels counts what lanes ask, before it is done: a fetch that fails, beyond the edge of a surface
// that traps or of a texture that is another than the instruction says, fails here with the same
// words. All lanes together are one request. Of a texture that nobody described nothing is known, and
// so nothing of the launch's traffic.
func (w *warp) countTexels(in *inst, k int32, m uint32) {
	c := w.worker.counting
	arranged := false // where elements lie was assumed
	for lane := range lanesOf(m) {
		of := w.noteTexels(in, lane)
		if of.Assumed {
			c.Counts.Lack(int32(in.pc))
		}
		arranged = arranged || !of.Assumed && !of.Linear
	}
	if len(c.stretches) == 0 {
		return
	}
	if arranged {
		c.Counts.Inexact[bits.TrailingZeros8(uint8(order.Assumed))]++
	}
	if err := c.Texels(k, c.stretches, &w.moved); err != nil {
		abort.Throw(err)
	}
	c.stretches = c.stretches[:0]
}

// noteTexels notes the bytes that a lane accesses, and returns what they are of.
func (w *warp) noteTexels(in *inst, lane int) *texel.Texture {
	c := w.worker.counting
	if in.mem.texture.surface != nil {
		of, at, n, outside := w.surfacePlace(in, lane)
		if !outside {
			c.stretches = append(c.stretches, traffic.Stretch{Addr: at, Bytes: n})
		}
		return of
	}
	var f fetch
	w.fetchOf(in, lane, &f)
	for _, at := range f.At[:f.N] {
		if at >= 0 {
			c.stretches = append(c.stretches, traffic.Stretch{Addr: f.of.Base + uint64(at), Bytes: uint64(f.of.Format.Bytes())})
		}
	}
	return f.of
}
