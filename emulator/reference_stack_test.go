package emulator

import (
	"fmt"
	"strings"

	"hyptx/internal/tensormap"
	"hyptx/ir/isa"
)

// stackSteps: where a thread's stack lies is a machine's own. What alloca gives is aligned, and
// nobody else's until stackrestore has gone back to what stacksave gave (PTX ISA 9.7.19).
var stackSteps = map[isa.Op]clusterStep{
	isa.OpStacksave: stackUsed, isa.OpStackrestore: stackUsed, isa.OpAlloca: stackUsed,
	isa.OpTensormapReplace: replacedField,
}

func stackUsed(p *clusterProof, x *isa.Inst, given []bool) int {
	bits := x.Type().Bits()
	acts, lanes := p.someThreads()
	n := 0
	register := func() string { n++; return fmt.Sprintf("r_b%d_%d", bits, n) }
	// perform has the threads execute an operation, by what is proven if it is that.
	perform := func(op isa.Op, plain string, operands map[string]string, old string) {
		if x.Op != op {
			p.line("%s", plain)
			return
		}
		if d := operands["d"]; d != "" {
			p.line("mov.b%d %s, %s;", bits, d, old)
		}
		p.execute(x, given, p.guard(acts), operands)
	}
	start := register()
	p.line("stacksave.u%d %s;", bits, start)
	save := func() string {
		d := register()
		perform(isa.OpStacksave, fmt.Sprintf("stacksave.u%d %s;", bits, d), map[string]string{"d": d}, start)
		return d
	}
	sizes, at, align := [2][]int{make([]int, p.threads()), make([]int, p.threads())}, [2]string{}, [2]int{8, oneAmong(p.r, 8, 16, 64, 256)}
	for i := range at {
		at[i] = register()
		size := p.give(bits, func(thread int) uint64 {
			sizes[i][thread] = oneAmong(p.r, 0, 1, 8, p.r.IntN(100))
			return uint64(sizes[i][thread])
		})
		perform(isa.OpAlloca, fmt.Sprintf("alloca.u%d %s, %s, %d;", bits, at[i], size, align[i]),
			map[string]string{"d": at[i], "size": size, "align": fmt.Sprint(align[i])}, start)
		if x.Op == isa.OpAlloca && !given[len(given)-1] {
			align[i] = 8
		}
	}
	p.allocated(at, sizes, align, bits, func(thread int) bool { return x.Op != isa.OpAlloca || acts[thread] })
	used := save()
	perform(isa.OpStackrestore, fmt.Sprintf("stackrestore.u%d %s;", bits, start), map[string]string{"a": start}, "")
	again := save()
	p.line("sub.u%d r_b%d_30, %s, %s; sub.u%d r_b%d_31, %s, %s;", bits, bits, again, start, bits, bits, again, used)
	for i := range 2 {
		p.result(fmt.Sprintf("r_b%d_%d", bits, 30+i), bits, func(thread int) outcome {
			restored := x.Op != isa.OpStackrestore || acts[thread]
			if restored != (i == 0) {
				return anything[0]
			}
			return outcome{}
		})
	}
	p.line("stackrestore.u%d %s;", bits, map[bool]string{true: again, false: start}[x.Op == isa.OpStackrestore])
	return lanes
}

// allocated asks of two pieces that threads did get whether they are aligned, and apart.
func (p *clusterProof) allocated(at [2]string, sizes [2][]int, align [2]int, bits int, did func(thread int) bool) {
	for i := range at {
		p.line("cvt.u64.u%d r_b64_30, %s; and.b64 r_b64_30, r_b64_30, %d;", bits, at[i], align[i]-1)
		p.result("r_b64_30", 64, func(thread int) outcome {
			if !did(thread) {
				return anything[0]
			}
			return outcome{}
		})
	}
	// The second lies below the first, or above it, by the size of the lower at least.
	p.line("cvt.u64.u%d r_b64_30, %s; cvt.u64.u%d r_b64_31, %s; sub.s64 r_b64_30, r_b64_30, r_b64_31;", bits, at[0], bits, at[1])
	p.result("r_b64_30", 64, func(thread int) outcome {
		return outcome{allows: func(got uint64) bool {
			apart := int64(got)
			return !did(thread) || apart >= int64(sizes[1][thread]) || -apart >= int64(sizes[0][thread])
		}}
	})
}

// replacedField: of a map one field becomes what is said, all others stay (PTX ISA 9.7.10.29, table 33).
func replacedField(p *clusterProof, x *isa.Inst, given []bool) int {
	space := x.Space
	if space == isa.Generic {
		space = oneAmong(p.r, isa.Global, isa.Shared)
	}
	area := p.area(space, isa.B32)
	acts := make([]bool, p.threads())
	lanes := 0
	ord, value := p.r.IntN(5), p.draw(wordOf(x), wordOf(x).Bits())
	if has(x, "global_stride") {
		ord = p.r.IntN(4)
	}
	for field, most := range map[string]int{"elemtype": 10, "interleave_layout": 2, "swizzle_mode": 3, "swizzle_atomicity": 3, "fill_mode": 1, "rank": 4} {
		if has(x, field) {
			value = uint64(p.r.IntN(most + 1))
		}
	}
	for field, most := range map[string]uint64{"box_dim": 256, "element_stride": 8, "global_dim": 1<<32 - 1} { // from 1 on
		if has(x, field) {
			value = oneAmong(p.r, 1, most, 1+p.r.Uint64N(most))
		}
	}
	at := func(thread int) spot { return p.spotIn(space, area, p.rank(thread), 0) }
	for rank := range p.ctas {
		thread := rank * p.each
		acts[thread] = p.r.IntN(4) > 0
		lanes += int(truth(acts[thread]))
		m := drawnMap(p)
		mem := p.bytesAt(space, at(thread), tensormap.Bytes)
		before := m.Pack()
		for i := range mem {
			mem[i].first, mem[i].last = before[i], before[i]
		}
		if !acts[thread] {
			continue
		}
		replaceField(x, &m, ord, value)
		after := m.Pack()
		p.write(mem, after[:])
	}
	operands := map[string]string{"ord": fmt.Sprint(ord), "value": fmt.Sprint(value)}
	named := space
	if x.Space == isa.Generic {
		named = isa.Generic
	}
	if named == isa.Generic && space == isa.Global {
		named = isa.Global
	}
	operands["a"] = p.address(named, at)
	if x.Form.Operands[len(x.Form.Operands)-1].Kind != isa.Immediate {
		operands["value"] = p.give(wordOf(x).Bits(), func(int) uint64 { return value })
	}
	p.execute(x, given, p.guard(acts), operands)
	return lanes
}

// wordOf is the type of the value of a field.
func wordOf(x *isa.Inst) isa.Type {
	if strings.HasSuffix(x.Opcode, ".b64") {
		return isa.B64
	}
	return isa.B32
}

// drawnMap is any map.
func drawnMap(p *clusterProof) (m tensormap.Map) {
	m = tensormap.Map{Address: p.r.Uint64(), Type: tensormap.Type(p.r.IntN(11)), Rank: 1 + p.r.IntN(5), Swizzle: tensormap.Swizzle(p.r.IntN(4)), Interleave: uint8(p.r.IntN(3)), Fill: uint8(p.r.IntN(2))}
	for i := range m.Dims {
		m.Dims[i], m.Box[i], m.Steps[i] = 1+uint64(p.r.Uint32()), 1+p.r.Uint32N(256), 1+p.r.Uint32N(8)
		if m.Strides[i] = p.r.Uint64() >> 24; i == 0 {
			m.Strides[0] = m.Size() // that of the elements
		}
	}
	return m
}

func replaceField(x *isa.Inst, m *tensormap.Map, ord int, v uint64) {
	switch {
	case has(x, "global_address"):
		m.Address = v
	case has(x, "rank"):
		m.Rank = int(v) + 1
	case has(x, "box_dim"):
		m.Box[ord] = uint32(v)
	case has(x, "global_dim"):
		m.Dims[ord] = uint64(uint32(v))
	case has(x, "global_stride"):
		m.Strides[ord+1] = v // there is none of the innermost dimension
	case has(x, "element_stride"):
		m.Steps[ord] = uint32(v)
	case has(x, "elemtype"):
		m.Type = tensormap.Type(v)
		m.Strides[0] = m.Size()
	case has(x, "interleave_layout"):
		m.Interleave = uint8(v)
	case has(x, "swizzle_mode"):
		m.Swizzle = tensormap.Swizzle(v)
	case has(x, "swizzle_atomicity"):
		m.Atom = tensormap.Atom(v)
	default:
		m.Fill = uint8(v)
	}
}
