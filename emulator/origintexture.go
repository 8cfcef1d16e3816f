package emulator

import (
	"slices"

	"hyptx/internal/order"
	"hyptx/internal/texel"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Textures and surfaces while origins are followed. Their elements are memory with
// shadows like any other; beside that a result may be open, because the manual does not
// say what an element beyond an edge is or a channel that the format has not, or assumed,
// because nobody said which texture there is. What the launch itself has stored a fetch
// may see or not (CUDA C++ Programming Guide, Texture and Surface Memory: read/write
// coherency).

// textureRule is what following origins through a texture or surface needs.
type textureRule struct {
	// results are the places of what a fetch writes, each with the channel that it has.
	results []fetchedChannel
}

type fetchedChannel struct {
	def     int32
	channel int
}

// textureRule chooses how to account for an access of a texture or surface.
func (c *compiler) textureRule(in *ir.Instr, i *inst, t *originRule) {
	a := i.mem.texture
	switch in.Inst.Op {
	case isa.OpSuld:
		t.op.Reads, t.op.Incoherent, t.follow = true, true, followSurfaceLoad
	case isa.OpSust:
		t.op.Writes, t.follow = true, followSurfaceStore
	case isa.OpSured:
		t.op.Atomic, t.op.Strong, t.op.Writes, t.op.Keeps, t.op.Family = true, true, true, true, familyOf(in.Inst)
		t.follow = followSurfaceStore
	default:
		if a.query != nil {
			t.follow = followQuery
			return
		}
		t.op.Reads, t.op.Incoherent, t.follow = true, true, followFetch
		t.texture, t.defs = c.fetchRule(in, a), nil
	}
	t.op.Decides = t.op.Reads && c.deciding(in)
	if t.op.Writes {
		at := slices.IndexFunc(in.Ops(), func(op ir.Operand) bool { return op.Kind == ir.OperandBrackets })
		t.address = c.partOrigins(in, in.Ops()[at].Elems())
	}
}

// fetchRule says which result has which channel; of a pair that is the higher one. What
// tld4 gives is all of its channel.
func (c *compiler) fetchRule(in *ir.Instr, a *textureAccess) *textureRule {
	r := &textureRule{}
	for i, e := range elementsOf(&in.Ops()[0]) {
		if e.Kind != ir.OperandReg {
			continue
		}
		switch {
		case a.channel >= 0:
			i = a.channel
		case a.paired:
			i = 2*i + 1
		}
		r.results = append(r.results, fetchedChannel{c.originPlace(e.Reg), i})
	}
	if p := in.Ops()[0].Pair; p != ir.NoReg {
		r.results = append(r.results, fetchedChannel{c.originPlace(p), 0})
	}
	return r
}

// partOrigins returns the places of the origins of registers within brackets.
func (c *compiler) partOrigins(in *ir.Instr, parts []ir.Operand) (places []int32) {
	for i := range parts {
		if p := &parts[i]; (p.Kind == ir.OperandReg || p.Kind == ir.OperandAddr && p.Var == nil) && p.Reg != ir.NoReg && !c.givenOrigin(in.PC, p.Reg) {
			places = append(places, c.originPlace(p.Reg))
		}
		places = append(places, c.partOrigins(in, parts[i].Elems())...)
	}
	return places
}

// followFetch accounts for the elements that a fetch reads, and runs it.
func followFetch(w *warp, in *inst, m uint32, from *order.Lanes) {
	var f fetch
	var lacking [4]uint32 // lanes whose texture has no such channel
	note := w.worker.launch.log.Note
	for lane := range lanesOf(m) {
		w.fetchOf(in, lane, &f)
		if f.of.Assumed {
			from.Add(1<<lane, order.Assumed, 0)
		}
		if f.Open {
			from.Add(1<<lane, order.Undefined, note(order.Texture, uint32(in.pc)))
		}
		for _, at := range f.At[:f.N] {
			if at >= 0 {
				w.followLoad(in, &in.rule.op, lane, isa.Global, f.of.Base+uint64(at), uint64(f.of.Format.Bytes()), from)
			}
		}
		for c := f.of.Channels; c < 4; c++ {
			lacking[c] |= 1 << lane
		}
	}
	in.rule.exec(w, in, m)
	for _, r := range in.rule.texture.results {
		one := *from
		if without := lacking[r.channel]; without != 0 {
			one.Add(without, order.Undefined, note(order.Texture, uint32(in.pc)))
		}
		w.originsOf(w.frame, r.def).Set(m, one)
	}
}

// followQuery accounts for what is asked about a texture that nobody gave.
func followQuery(w *warp, in *inst, m uint32, from *order.Lanes) {
	for lane := range lanesOf(m) {
		if w.queried(in, lane).texture.Assumed {
			from.Add(1<<lane, order.Assumed, 0)
		}
	}
	in.rule.exec(w, in, m)
}

// followSurfaceLoad accounts for what lanes load, and runs the load.
func followSurfaceLoad(w *warp, in *inst, m uint32, from *order.Lanes) {
	for lane := range lanesOf(m) {
		of, at, n, outside := w.surfacePlace(in, lane)
		if of.Assumed {
			from.Add(1<<lane, order.Assumed, 0)
		}
		if !outside {
			g := uint64(granule(at, n))
			for k := uint64(0); k < n; k += g {
				w.followLoad(in, &in.rule.op, lane, isa.Global, at+k, g, from)
			}
		}
	}
	in.rule.exec(w, in, m)
}

// followSurfaceStore runs stores and reductions lane by lane, since each sees what the
// one before did, and accounts for them.
func followSurfaceStore(w *warp, in *inst, m uint32, from *order.Lanes) {
	stores := w.worker.stores
	var at [32]uint64
	for lane := range lanesOf(m) {
		of, first, n, outside := w.surfacePlace(in, lane)
		if outside {
			in.rule.exec(w, in, 1<<lane)
			continue
		}
		at[lane] = first
		w.notePlaces(in, 1<<lane, &at)
		g := uint64(granule(first, n))
		var old [4 * 16]byte
		for k := uint64(0); k < n; k += g {
			w.keepOld(in, lane, first+k, g)
			copy(old[k:], w.worker.old[lane][:g])
		}
		in.rule.exec(w, in, 1<<lane)
		value := *from
		if w.unpredictable(in, of) {
			value.Add(1<<lane, order.Undefined, w.worker.launch.log.Note(order.Texture, uint32(in.pc)))
		}
		for k := uint64(0); k < n; k += g {
			copy(w.worker.old[lane][:g], old[k:])
			w.followStore(in, lane, isa.Global, first+k, g, &value)
		}
	}
	w.worker.stores = min(w.worker.stores, stores+1)
}

// unpredictable reports whether a formatted store leaves channels of an element without
// a value.
func (w *warp) unpredictable(in *inst, of *texel.Texture) bool {
	s := in.mem.texture.surface
	return s.formatted && s.update[0] == nil && len(s.elems) < of.Channels
}
