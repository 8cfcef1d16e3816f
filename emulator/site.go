package emulator

import (
	"hyptx/internal/traffic"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Several accesses of one text line often go by one register: a[i], a[i+1] and
// a[i+2] are [%rd1], [%rd1+4] and [%rd1+8]. In one segment, with the register not
// written in between, the addresses of their lanes have the same distances from each
// other, which is most of what a request costs (traffic.Pattern). So the first of
// them, the leader, has its pattern recognised, and the others take it over and add
// the difference of their offsets.

// site is one access of memory in the text. Embedded is what decides the cost of
// its requests; the rest says which lanes make one and at which addresses.
type site struct {
	traffic.Site
	// space is Generic where the address decides. width are the bytes of one
	// element of a vector, all of which a lane accesses together.
	space isa.Space
	width uint8
	// copies: the global side of cp.async, which a lane does without if its bytes
	// are 0 or, with ignore, the predicate pa says so.
	copies, ignore bool
	// lanes are those whose address counts: ldmatrix and stmatrix take fewer.
	lanes uint32
	// tile: the pieces of wmma.load or .store.
	tile bool
	// texels: elements of a texture or surface (texturetraffic.go).
	texels bool
	location
	// leader is the access before it in its segment whose addresses differ from
	// its own by a constant: same lanes, same register; itself if there is none.
	leader int32
	pa     int32
	paFlip uint32
	bytes  operand
}

// trafficAccess is what counting an instruction's accesses takes.
type trafficAccess struct {
	// exec does the access, nil where only its address is needed.
	exec  execFunc
	sites []int32
	// origins are the places of the origins of its address registers, where
	// origins are followed.
	origins []int32
}

// leaderKey is what accesses have in common whose patterns are one.
type leaderKey struct {
	base           operand
	space          isa.Space
	size           uint8
	base64, atomic bool
	write          bool
	matrix         bool
	lanes          uint32
}

// lead finds the leader of a new site of an instruction. What is guarded leads
// nobody and follows nobody: its lanes are others.
func (c *compiler) lead(in *ir.Instr, s *site) {
	s.leader = int32(len(c.prog.sites))
	if in.Guard != ir.NoReg || s.copies || s.tile {
		return
	}
	key := leaderKey{s.base, s.space, s.Size, s.base64, s.IsAtomic(), s.Kind != traffic.Load, s.Matrix, s.lanes}
	if k, ok := c.leaders[key]; ok {
		s.leader = k
		return
	}
	if c.leaders == nil {
		c.leaders = map[leaderKey]int32{}
	}
	c.leaders[key] = s.leader
}

// written forgets the leaders whose register an instruction writes.
func (c *compiler) written(in *ir.Instr) {
	if len(c.leaders) == 0 {
		return
	}
	for _, d := range in.Defs() {
		for key := range c.leaders {
			if key.base.mask != 0 && key.base.off == c.fn.reg[d] {
				delete(c.leaders, key)
			}
		}
	}
}

// addressOnly reports whether the slice needs of an access nothing but its
// address.
func (c *compiler) addressOnly(in *ir.Instr) bool {
	return c.prog.traffic && !c.fn.ir.Library && c.slice != nil && c.slice.Run.Has(in.PC) && !c.slice.Value.Has(in.PC) && accesses(in)
}

// followsOrigins reports whether origins are followed through what an instruction
// computes, loads or stores: not where the slice needs its address alone.
func (c *compiler) followsOrigins(in *ir.Instr) bool {
	return c.origins != nil && c.origins.Run.Has(in.PC) && (!accesses(in) || c.origins.Value.Has(in.PC))
}

// accesses reports whether an instruction's accesses are counted: those of
// normal memory, not of parameters and of the objects of barriers; bulk copies count
// theirs (bulktraffic.go).
func accesses(in *ir.Instr) bool {
	switch in.Inst.Space {
	case isa.Param, isa.ParamEntry, isa.ParamFunc:
		return false
	}
	return !in.Inst.Form.Unseen && !in.Inst.Form.Apart && !in.Inst.Form.Bulk && (in.Inst.IsLoad() || in.Inst.IsStore() || in.Inst.IsAtomic() || in.Inst.Form.Object >= isa.Reads)
}

// onlyReads reports whether an instruction writes no memory.
func onlyReads(x *isa.Inst) bool {
	return x.IsLoad() && !x.Form.Async || x.Form.Object == isa.Reads
}

// countTraffic wraps a decoded instruction, or one of which only the address is
// needed, so that its accesses are counted.
func (c *compiler) countTraffic(in *ir.Instr, i *inst) {
	first := int32(len(c.prog.sites))
	switch {
	case in.Inst.Form.Object != 0:
		c.addTexels(in)
	case in.Inst.Form.Async && len(in.Inst.Form.Memory) > 1: // cp.async
		c.addSite(in, &in.Ops()[0], site{Site: traffic.Site{Kind: traffic.Store, Size: i.width}, space: isa.Shared})
		c.addSite(in, &in.Ops()[1], site{
			Site: traffic.Site{Kind: traffic.Load, Size: i.width, Past: in.Inst.PastL1()}, space: isa.Global, copies: true,
			bytes: i.b, ignore: i.mem.copies.ignore, pa: i.pa, paFlip: i.paFlip,
		})
	case i.mem != nil && i.mem.tile != nil:
		s := site{Site: traffic.Site{Kind: kindOf(in.Inst), Size: i.width, Matrix: true}, tile: true}
		address := &in.Ops()[1]
		if in.Inst.IsStore() {
			address = &in.Ops()[0]
		}
		c.addSite(in, address, s)
	case in.Inst.CrossLane():
		address, data := &in.Ops()[1], &in.Ops()[0]
		s := site{Site: traffic.Site{Kind: traffic.Load, Size: i.width, Matrix: true}}
		if in.Inst.IsStore() {
			address, data, s.Kind = data, address, traffic.Store
		}
		s.lanes = fullMask >> (32 - 8*max(len(data.Elems()), 1))
		c.addSite(in, address, s)
	default:
		s := site{Site: traffic.Site{Kind: kindOf(in.Inst), Past: in.Inst.PastL1(), Size: uint8(in.Inst.Type().Bytes() * max(int(in.Inst.Vec), 1))}}
		for n := range in.Ops() {
			if in.Ops()[n].Kind == ir.OperandAddr {
				c.addSite(in, &in.Ops()[n], s)
				break
			}
		}
	}
	t := &trafficAccess{exec: i.exec}
	for k := first; k < int32(len(c.prog.sites)); k++ {
		t.sites = append(t.sites, k)
	}
	if c.origins != nil && c.origins.Run.Has(in.PC) {
		t.origins = c.addressOrigins(in)
		if in.Inst.Form.Object != 0 {
			t.origins = c.placeOrigins(in)
		}
	}
	if i.mem == nil {
		i.mem = &access{}
	}
	i.mem.traffic, i.exec = t, execTraffic
	if t.exec != nil && in.Inst.IsLoad() && i.mem.words && len(t.origins) == 0 {
		i.exec, i.off, i.d = execGather, int64(first), i.mem.elems[0]
	}
}

// kindOf returns what an instruction does to memory.
func kindOf(x *isa.Inst) traffic.Kind {
	switch {
	case x.Form.Object == isa.Updates:
		return traffic.Reduce
	case x.Form.Object == isa.Writes:
		return traffic.Store
	case x.IsReduction():
		return traffic.Reduce
	case x.IsAtomic():
		return traffic.Atomic
	case x.IsStore():
		return traffic.Store
	}
	return traffic.Load
}

// addSite adds an access at an address operand.
func (c *compiler) addSite(in *ir.Instr, op *ir.Operand, s site) {
	var space isa.Space
	s.PC = in.PC
	if s.location, space = c.location(in, op); s.space == 0 {
		s.space = space
	}
	if s.lanes == 0 {
		s.lanes = fullMask
	}
	if s.width = s.Size; !s.Matrix {
		s.width /= uint8(max(int(in.Inst.Vec), 1))
	}
	if s.tile {
		s.off = 0 // see pieces
	}
	c.lead(in, &s)
	c.prog.sites = append(c.prog.sites, s)
}

// addressOrigins returns the places of the origins of the registers that an
// instruction's addresses stand in.
func (c *compiler) addressOrigins(in *ir.Instr) (places []int32) {
	for n := range in.Ops() {
		op := &in.Ops()[n]
		if op.Kind != ir.OperandAddr || op.Reg == ir.NoReg || op.Var != nil {
			continue
		}
		_, known := constIn(c.origins, in.PC, op.Reg)
		_, special := sregIn(c.origins, in.PC, op.Reg)
		if !known && !special {
			places = append(places, c.originPlace(op.Reg))
		}
	}
	return places
}
