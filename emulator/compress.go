package emulator

import (
	"hyptx/internal/sparse"
	"hyptx/ir"
)

// spcompress keeps two of each four elements of a thread's registers, and says which;
// spdecompress puts them back among zeros (PTX ISA 9.7.10.30, .31). Elements and indices lie
// one after the other from the lowest bit on, those that are kept in the order of their
// places. Of equal elements the first is kept, and a NaN counts by its bits as numbers do: the
// manual leaves both open, so that what comes of it has an origin that says so. So have two
// indices of a group that are equal, of which the first counts, and those beyond a group.

// mostData is how many registers data fill at most.
const mostData = 128

// keepRule says which elements are kept, and what they are.
type keepRule struct {
	min, abs bool
	of       numbering
}

// numbering is how the bits of elements are ordered: the bit of the sign, 0 if there is none,
// and the greatest magnitude that is no NaN; twos: they are integers with a sign.
type numbering struct {
	sign, last uint32
	twos       bool
}

// compressTypes are the types by bits 2 to 4 of spcompress' descriptor, for elements of 16
// and of 8 bits; those of 6 bits have two above them that say nothing.
var compressTypes = map[int][]numbering{
	16: {{sign: 1 << 15, last: 0x7c00}, {sign: 1 << 15, last: 0x7f80}}, // f16, bf16
	8: {{last: 0xff}, {twos: true}, {sign: 1 << 7, last: 0x7c}, {sign: 1 << 7, last: 0x7e}, // u8, s8, e5m2, e4m3
		{sign: 1 << 5, last: 0x1f}, {sign: 1 << 5, last: 0x1f}}, // e3m2, e2m3
}

var f32Numbers = numbering{sign: 1 << 31, last: 0x7f800000}

// keepRuleOf reads a descriptor (PTX ISA 9.7.10.30, table 38); ok is false where it has no type
// of so many bits.
func keepRuleOf(desc uint32, bits int) (k keepRule, ok bool) {
	types := compressTypes[bits]
	if code := int(desc >> 2); code < len(types) {
		return keepRule{min: desc&2 != 0, abs: desc&1 != 0, of: types[code]}, true
	}
	return keepRule{}, false
}

// key orders elements: what is rather kept has the greater one. -0 is below +0.
func (k *keepRule) key(v uint32) (key int64, nan bool) {
	switch {
	case k.of.twos:
		if key = int64(int8(v)); k.abs && key < 0 {
			key = -key
		}
	case k.of.sign == 0:
		key = int64(v)
	default:
		size := v & (k.of.sign - 1)
		key, nan = int64(size), size > k.of.last
		if v&k.of.sign != 0 && !k.abs {
			key = -key - 1
		}
	}
	if k.min {
		key = -key
	}
	return key, nan
}

// choose returns the places of the two of four elements that are kept, the lower one first,
// and whether others could have been.
func (k *keepRule) choose(group [4]uint32) (first, second int, open bool) {
	var keys [4]int64
	for i, v := range group {
		var nan bool
		keys[i], nan = k.key(v)
		open = open || nan
	}
	first, second = -1, -1
	for i := range keys {
		better, equal := 0, 0
		for j := range keys {
			switch {
			case keys[j] > keys[i]:
				better++
			case j < i && keys[j] == keys[i]:
				equal++
			}
		}
		if better+equal >= 2 {
			open = open || better < 2 // it is as good as one that is kept
		} else if first < 0 {
			first = i
		} else {
			second = i
		}
	}
	return first, second, open
}

// bitsAt reads n bits of registers from a place on, addBits adds them to zeros there.
func bitsAt(regs []uint32, at, n int) uint32 {
	return uint32(uint64(regs[at/32]) >> (at % 32) & (1<<n - 1))
}

func addBits(regs []uint32, at int, v uint32) { regs[at/32] |= v << (at % 32) }

// compressed keeps what the rule says of the groups of data.
func (k *keepRule) compressed(s *sparse.Shape, data, kept, indices []uint32) (open bool) {
	clear(kept)
	clear(indices)
	for g := range s.Groups {
		var group [4]uint32
		for i := range group {
			group[i] = bitsAt(data, (g*4+i)*s.Element, s.Element)
		}
		a, b, either := k.choose(group)
		open = open || either
		for n, i := range [2]int{a, b} {
			addBits(kept, (g*2+n)*s.Element, group[i])
			addBits(indices, (g*2+n)*s.Index, uint32(i))
		}
	}
	return open
}

// buildCompress decodes spcompress d, r, data, spdesc.
func buildCompress(c *compiler, in *ir.Instr, i *inst) error {
	i.move = &move{indices: c.destinations(&in.Ops()[0]), dests: c.destinations(&in.Ops()[1]), elems: c.elements(in, &in.Ops()[2])}
	i.move.sparse = sparse.Of(in.Inst.Opcode)
	i.a, i.exec = c.source(in, 3), execCompress
	return nil
}

func execCompress(w *warp, in *inst, m uint32) {
	e := in.move
	for lane := range lanesOf(m) {
		desc := w.slot(in.a)[lane]
		rule, ok := keepRuleOf(desc, e.sparse.Element)
		if !ok {
			w.fail(in, 1<<lane, "spcompress: its descriptor %#x has no type of %d bits", desc, e.sparse.Element)
		}
		var data, kept, indices [mostData]uint32
		w.readRegisters(e.elems, lane, &data)
		if rule.compressed(&e.sparse, data[:len(e.elems)], kept[:len(e.dests)], indices[:len(e.indices)]) {
			w.worker.open |= 1 << lane
		}
		w.writeRegisters(e.dests, lane, &kept)
		w.writeRegisters(e.indices, lane, &indices)
	}
}

// buildDecompress decodes spdecompress d, mdata, cdata.
func buildDecompress(c *compiler, in *ir.Instr, i *inst) error {
	i.move = &move{dests: c.destinations(&in.Ops()[0]), indices: c.elements(in, &in.Ops()[1]), elems: c.elements(in, &in.Ops()[2])}
	i.move.sparse = sparse.Of(in.Inst.Opcode)
	i.exec = execDecompress
	return nil
}

func execDecompress(w *warp, in *inst, m uint32) {
	e, s := in.move, &in.move.sparse
	for lane := range lanesOf(m) {
		var data, kept, indices [mostData]uint32
		w.readRegisters(e.elems, lane, &kept)
		w.readRegisters(e.indices, lane, &indices)
		taken := uint32(0) // places of a group
		for k := range s.Groups * s.Kept {
			place := int(bitsAt(indices[:], k*s.Index, s.Index))
			bit := uint32(1) << place
			if k%s.Kept == 0 {
				taken = 0
			}
			if place >= s.Of || taken&bit != 0 { // no place in the group, or one that has its element
				w.worker.open |= 1 << lane
				continue
			}
			taken |= bit
			addBits(data[:], (k/s.Kept*s.Of+place)*s.Element, bitsAt(kept[:], k*s.Element, s.Element))
		}
		w.writeRegisters(e.dests, lane, &data)
	}
}

// readRegisters reads registers of a lane, writeRegisters writes them.
func (w *warp) readRegisters(from []operand, lane int, v *[mostData]uint32) {
	for i, o := range from {
		v[i] = w.slot(o)[lane]
	}
}

func (w *warp) writeRegisters(to []operand, lane int, v *[mostData]uint32) {
	for i, o := range to {
		if o.off >= 0 {
			w.slot(o)[lane] = v[i]
		}
	}
}
