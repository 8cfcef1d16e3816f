package emulator

import (
	"hyptx/emulator/internal/atomics"
	"hyptx/emulator/internal/words"
	"hyptx/internal/tensormap"
	"hyptx/ir/isa"
)

// mapMove is a copy in progress: to is where in shared memory its next byte is, but for
// swizzling.
type mapMove struct {
	a      *asyncWork
	t      *mapCopy
	m      *tensormap.Map
	to     uint64
	size   uint64 // of an element, or of a unit, in global memory
	wide   uint64 // and in shared memory
	packed [12]byte
	reduce atomics.Operation
	family uint16
	open   bool // what it moves is not sure
}

// row moves a row of elements, piece by piece of shared memory.
func (v *mapMove) row(r tensormap.Row) {
	if v.t.needs == needsTold {
		v.to += uint64(r.Elements) * v.wide
		return
	}
	v.a.stretch(r.From+uint64(r.First)*v.size, uint64(r.Last-r.First)*v.size)
	if v.t.needs == needsPlaces && v.undone(&r) {
		return
	}
	piece := uint64(chunk)
	if v.m.Atom == tensormap.Atom32Flip8 {
		piece = 8
	}
	per := int64(piece / v.wide)
	for k := int64(0); k < r.Elements; k += per {
		if v.t.load {
			v.load(&r, k, per, piece)
		} else {
			v.store(&r, k, per)
		}
		v.to += piece
	}
}

// undone goes on behind a row as if it had been moved, if all of it hits memory.
func (v *mapMove) undone(r *tensormap.Row) bool {
	a, shared := v.a, uint64(r.Elements)*v.wide
	from, bytes := r.From+uint64(r.First)*v.size, uint64(r.Last-r.First)*v.size
	if shared%chunk != 0 || !a.hits(isa.Shared, v.to, shared, v.t.load) || bytes > 0 && !a.hits(isa.Global, from, bytes, !v.t.load) {
		return false
	}
	if v.t.load {
		a.undone(isa.Shared, v.to, shared)
	} else {
		a.undone(isa.Global, from, bytes)
	}
	v.to += shared
	return true
}

// load fills a piece of shared memory with n elements from number k on.
func (v *mapMove) load(r *tensormap.Row, k, n int64, piece uint64) {
	var b [chunk]byte
	for e := range n {
		into := b[uint64(e)*v.wide:][:v.size]
		if i := k + e; i >= r.First && i < r.Last {
			v.read(into, r.From+uint64(i)*v.size)
		} else if v.m.Fill != 0 {
			words.Put(into, nans[v.m.Type])
		}
	}
	if first, last := max(r.First-k, 0), min(r.Last-k, n); first < last {
		v.a.inspect(v.t.reports, b[uint64(first)*v.size:uint64(last)*v.size])
	}
	at := v.m.Place(v.to)
	filled := piece / v.wide * v.size
	if v.wide > v.size { // padding is not initialised
		value := v.a.value
		clear(v.a.old(isa.Shared, at+filled, piece-filled))
		v.a.doubt()
		v.a.wrote(isa.Shared, at+filled, piece-filled)
		v.a.value = value
	}
	if v.open {
		v.a.doubt()
	}
	v.write(isa.Shared, at, b[:filled])
}

// read reads an element, or a unit, of global memory; write writes bytes of either memory. What
// is no power of two goes word by word.
func (v *mapMove) read(into []byte, at uint64) {
	n := aligned(len(into))
	for off := 0; off < len(into); off += n {
		copy(into[off:], v.a.read(isa.Global, at+uint64(off), uint64(n)))
	}
}

func (v *mapMove) write(space isa.Space, at uint64, b []byte) {
	n, value := aligned(len(b)), v.a.value
	for off := 0; off < len(b); off += n {
		v.a.value = value
		copy(v.a.old(space, at+uint64(off), uint64(n)), b[off:])
		v.a.wrote(space, at+uint64(off), uint64(n))
	}
}

// aligned returns in pieces of how many bytes so many are accessed.
func aligned(n int) int {
	if n == 12 {
		return 4
	}
	return n
}

// store writes, or reduces, those of n elements from number k on that are in the tensor.
func (v *mapMove) store(r *tensormap.Row, k, n int64) {
	for e := range n {
		i := k + e
		if i < r.First || i >= r.Last {
			continue
		}
		from := v.a.read(isa.Shared, v.m.Place(v.to)+uint64(e)*v.wide, v.wide)
		if v.wide > v.size {
			from = v.packed6(from)
		}
		at := r.From + uint64(i)*v.size
		if v.reduce == nil {
			v.write(isa.Global, at, from)
			continue
		}
		to := v.a.old(isa.Global, at, v.size)
		words.Put(to, v.reduce(words.Get(to), words.Get(from), 0))
		v.a.reduced(isa.Global, at, from, int(v.size), v.family)
	}
}

// packed6 returns the lower 6 bits of 16 bytes side by side.
func (v *mapMove) packed6(b []byte) []byte {
	v.packed = [12]byte{}
	for i, x := range b {
		bits := uint16(x&0x3f) << (6 * i % 8)
		v.packed[6*i/8] |= byte(bits)
		if bits > 0xff {
			v.packed[6*i/8+1] |= byte(bits >> 8)
		}
	}
	return v.packed[:]
}

// nans are what is outside of a tensor where a map asks for NaN: the manual does not give
// the bits, so these are the canonical ones.
var nans = [...]uint64{tensormap.F16: 0x7fff, tensormap.BF16: 0x7fff, tensormap.F32: 0x7fffffff, tensormap.F64: 0x7fffffffffffffff}

// elementTypes are the types of a tensor's elements.
var elementTypes = [...]isa.Type{
	tensormap.U8: isa.B8, tensormap.U16: isa.U16, tensormap.U32: isa.U32, tensormap.S32: isa.S32, tensormap.U64: isa.U64, tensormap.S64: isa.S64,
	tensormap.F16: isa.F16, tensormap.F32: isa.F32, tensormap.F64: isa.F64, tensormap.BF16: isa.BF16,
}

// reduction returns what a reduction does to elements of a type, nil if there is none.
func reduction(sub string, t tensormap.Type) atomics.Operation {
	if int(t) >= len(elementTypes) {
		return nil // the manual has no reduction of them
	}
	e := elementTypes[t]
	switch bits := e.Bits(); {
	case bits < 32 && !e.IsFloat(), e.IsFloat() && (sub != "add" && (sub != "min" && sub != "max" || bits > 16)),
		(sub == "inc" || sub == "dec") && e != isa.U32:
		return nil
	}
	return atomics.Of(sub, e, true)
}
