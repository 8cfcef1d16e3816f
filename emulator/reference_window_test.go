package emulator

import (
	"fmt"
	"strings"

	"hyptx/ir/isa"
)

// Where the windows of spaces lie is a machine's own. What holds on each: an address that has been
// taken to generic and back is what it was, and both lead to the same bytes (PTX ISA 9.7.10.22,
// .23); mapa leads to the same place of another CTA, of which getctarank says the rank (.26, .27).
var windowSteps = map[isa.Op]clusterStep{
	isa.OpCvta: convertedAddress, isa.OpIsspacep: inWindow, isa.OpMapa: mappedAddress, isa.OpGetctarank: rankOfAddress,
	isa.OpIstypep: ofType,
}

// someThreads draws which threads execute an instruction: all, a half, or one.
func (p *clusterProof) someThreads() (are []bool, n int) {
	are = make([]bool, p.threads())
	one, how := p.r.IntN(len(are)), p.r.IntN(4)
	for i := range are {
		are[i] = how > 1 || how == 1 && p.r.IntN(2) == 0 || i == one
		n += int(truth(are[i]))
	}
	return are, n
}

// windowed is a variable of 64 bytes of a space: its address there, and what a thread finds in it.
type windowed struct {
	space   isa.Space
	text    string // of the space
	base    string
	content func(thread, at int) uint64
}

// windows has the program find the address of a variable of each space, of a number of bits.
func (p *clusterProof) variable(space isa.Space, text string) (v windowed) {
	p.regs++
	v = windowed{space: space, text: text, base: fmt.Sprintf("r_b64_%d", 40+p.regs)}
	fixed := func(_, at int) uint64 { return wordAt(constantBytes[at:], 0, 64) }
	switch space {
	case isa.Const:
		v.content = fixed
		p.line("mov.u64 %s, constants;", v.base)
	case isa.Param, isa.ParamEntry:
		v.content = fixed
		p.line("mov.u64 %s, given;", v.base)
	case isa.Global:
		area := p.area(isa.Global, isa.B64)
		v.content = func(_, at int) uint64 { return wordAt(read(p.global[area+at:][:8]), 0, 64) }
		p.line("mov.u64 %s, %d;", v.base, proofMem+area)
	case isa.Local:
		v.content = func(_, at int) uint64 { return uint64(at) * 0x100000001 }
		p.line("mov.u64 %s, private;", v.base)
		for at := 0; at < sliceBytes; at += 8 {
			p.line("st.local.b64 [%s+%d], %d;", v.base, at, v.content(0, at))
		}
	default:
		area := p.area(isa.Shared, isa.B64)
		v.content = func(thread, at int) uint64 { return wordAt(read(p.shared[p.rank(thread)][area+at:][:8]), 0, 64) }
		p.line("mov.u64 %s, data; add.u64 %s, %s, %d;", v.base, v.base, v.base, area)
	}
	return v
}

// convertedAddress: cvta, one way by what is proven, and the other by another.
func convertedAddress(p *clusterProof, x *isa.Inst, _ []bool) int {
	words := strings.Split(x.Opcode, ".")
	space, bits := words[len(words)-2], x.Type().Bits()
	v := p.variable(x.Space, space)
	acts, n := p.someThreads()
	offsets := func(int) uint64 { return uint64(8 * p.r.IntN(sliceBytes/8)) }
	at, old := p.give(64, offsets), p.give(64, offsets)
	first := len(p.in) - 2*p.threads()
	of := func(thread int) int {
		if acts[thread] {
			return int(p.in[first+thread])
		}
		return int(p.in[first+p.threads()+thread])
	}
	forth, back := "cvta."+space, "cvta.to."+space
	p.line(".reg .b%d a_%d, b_%d, c_%d;", bits, len(p.texts), len(p.texts), len(p.texts))
	name := func(s string) string { return fmt.Sprintf("%s_%d", s, len(p.texts)) }
	guard := p.guard(acts)
	narrow := func(to, from string) {
		p.line("add.u64 %s, %s, %s; cvt.u%d.u64 %s, %s;", from, from, v.base, bits, to, from)
	}
	narrow(name("a"), at)
	narrow(name("b"), old)
	if has(x, "to") {
		p.line("%s.u%d %s, %s; %s.u%d %s, %s;", forth, bits, name("a"), name("a"), forth, bits, name("b"), name("b"))
		p.line("%s.u%d %s, %s;", back, bits, name("c"), name("b"))
		p.line("%s%s %s, %s;", guard, x.Opcode, name("c"), name("a"))
	} else {
		p.line("%s.u%d %s, %s;", forth, bits, name("c"), name("b"))
		p.line("%s%s %s, %s;", guard, x.Opcode, name("c"), name("a"))
		if bits == 64 {
			p.line("ld.b64 r_b64_30, [%s];", name("c"))
			p.result("r_b64_30", 64, func(thread int) outcome { return outcome{bits: v.content(thread, of(thread))} })
		}
		p.line("%s.u%d %s, %s;", back, bits, name("c"), name("c"))
	}
	p.line("cvt.u64.u%d r_b64_30, %s; sub.u64 r_b64_30, r_b64_30, %s;", bits, name("c"), v.base)
	if bits == 32 {
		p.line("and.b64 r_b64_30, r_b64_30, 0xffffffff;")
	}
	p.result("r_b64_30", 64, func(thread int) outcome { return outcome{bits: uint64(of(thread))} })
	return n
}

// inWindow: which spaces an address is in, of the first and last bytes of variables of all.
func inWindow(p *clusterProof, x *isa.Inst, _ []bool) int {
	spaces := []isa.Space{isa.Global, isa.Local, isa.Shared, isa.Const}
	if p.ptx >= 707 && p.version.SM >= 70 {
		spaces = append(spaces, isa.Param)
	}
	if p.clusters() {
		spaces = append(spaces, isa.SharedCluster)
	}
	kind := p.give(32, func(int) uint64 { return uint64(p.r.IntN(len(spaces))) })
	first := len(p.in) - p.threads()
	end := p.give(64, func(int) uint64 { return oneAmong[uint64](p.r, 0, sliceBytes-1) })
	rank := p.give(32, func(int) uint64 { return uint64(p.r.IntN(p.ctas)) })
	p.line("mov.u64 r_b64_30, 0;")
	for i, space := range spaces {
		text := map[isa.Space]string{isa.Global: "global", isa.Local: "local", isa.Shared: "shared", isa.Const: "const", isa.Param: "param", isa.SharedCluster: "shared"}[space]
		v := p.variable(space, text)
		p.line("cvta.%s.u64 r_b64_31, %s;", text, v.base)
		if space == isa.SharedCluster {
			p.line("mapa.u64 r_b64_31, r_b64_31, %s;", rank)
		}
		p.line("setp.eq.u32 r_pred_30, %s, %d; selp.b64 r_b64_30, r_b64_31, r_b64_30, r_pred_30;", kind, i)
	}
	acts, n := p.someThreads()
	guard := p.guard(acts)
	old := p.r.IntN(2)
	p.line("add.u64 r_b64_30, r_b64_30, %s; setp.eq.u32 r_pred_31, %d, 1; %s%s r_pred_31, r_b64_30; selp.u32 r_b32_30, 1, 0, r_pred_31;", end, old, guard, x.Opcode)
	last := len(p.in) - p.threads()
	if guard == "" {
		last += p.threads()
	}
	ranks := p.in[first+2*p.threads():]
	p.result("r_b32_30", 32, func(thread int) outcome {
		if !acts[thread] {
			return outcome{bits: uint64(old)}
		}
		space := spaces[p.in[first+thread]]
		own := space == isa.Shared || space == isa.SharedCluster && int(ranks[thread]) == p.rank(thread)
		return outcome{bits: truth(map[isa.Space]bool{
			isa.Global: space == isa.Global || space == isa.Param, // parameters of kernels are in the window of .global
			isa.Local:  space == isa.Local, isa.Const: space == isa.Const, isa.Param: space == isa.Param, isa.ParamEntry: space == isa.Param,
			isa.Shared: own, isa.SharedCluster: space == isa.Shared || space == isa.SharedCluster,
		}[x.Space])}
	})
	return n
}

// ranked has the program make an address of a variable in shared memory as mapa and getctarank
// take it, of the CTA of a rank if it is not its own.
func (p *clusterProof) ranked(x *isa.Inst) (v windowed, name string) {
	v = p.variable(isa.Shared, "shared")
	bits := x.Type().Bits()
	p.regs++
	name = fmt.Sprintf("r_b%d_%d", bits, 40+p.regs)
	p.line("cvt.u%d.u64 %s, %s;", bits, name, v.base)
	if x.Space == isa.Generic {
		p.line("cvta.shared.u%d %s, %s;", bits, name, name)
	}
	return v, name
}

func mappedAddress(p *clusterProof, x *isa.Inst, _ []bool) int {
	if x.Space == isa.Generic && x.Type().Bits() == 32 && p.ctas > 1 {
		return 0 // which ends the launch
	}
	v, name := p.ranked(x)
	at := 8 * p.r.IntN(sliceBytes/8)
	acts, n := p.someThreads()
	guard := p.guard(acts)
	ranks := make([]int, p.threads())
	rank := p.give(32, func(thread int) uint64 { ranks[thread] = p.r.IntN(p.ctas); return uint64(ranks[thread]) })
	bits := x.Type().Bits()
	p.line("mov.b%d r_b%d_30, %s; %s%s r_b%d_30, %s, %s;", bits, bits, name, guard, x.Opcode, bits, name, rank)
	if x.Space == isa.Generic && bits == 64 {
		p.line("ld.b64 r_b64_31, [r_b64_30+%d];", at)
	} else {
		if x.Space == isa.Generic {
			p.line("cvta.to.shared::cluster.u%d r_b%d_30, r_b%d_30;", bits, bits, bits)
		}
		p.line("ld.shared::cluster.b64 r_b64_31, [r_b%d_30+%d];", bits, at)
	}
	p.result("r_b64_31", 64, func(thread int) outcome {
		if acts[thread] {
			thread = ranks[thread] * p.each
		}
		return outcome{bits: v.content(thread, at)}
	})
	return n
}

func rankOfAddress(p *clusterProof, x *isa.Inst, _ []bool) int {
	_, name := p.ranked(x)
	acts, n := p.someThreads()
	guard := p.guard(acts)
	ranks := make([]int, p.threads())
	rank := p.give(32, func(thread int) uint64 { ranks[thread] = p.r.IntN(p.ctas); return uint64(ranks[thread]) })
	own := p.r.IntN(3) == 0 || x.Space == isa.Generic && x.Type().Bits() == 32 // as it is, without mapa
	if !own {
		space := map[bool]string{true: "", false: ".shared::cluster"}[x.Space == isa.Generic]
		p.line("mapa%s.u%d %s, %s, %s;", space, x.Type().Bits(), name, name, rank)
	}
	p.line("mov.u32 r_b32_30, 77; %s%s r_b32_30, %s;", guard, x.Opcode, name)
	p.result("r_b32_30", 32, func(thread int) outcome {
		switch {
		case !acts[thread]:
			return outcome{bits: 77}
		case own:
			return outcome{bits: uint64(p.rank(thread))}
		}
		return outcome{bits: uint64(ranks[thread])}
	})
	return n
}

// ofType: which variables are of an opaque type (PTX ISA 9.7.12.6).
func ofType(p *clusterProof, x *isa.Inst, _ []bool) int {
	names := []string{"texref", "samplerref", "surfref", "plain"}
	kinds := make([]int, p.threads())
	kind := p.give(32, func(thread int) uint64 { kinds[thread] = p.r.IntN(len(names)); return uint64(kinds[thread]) })
	p.line("mov.u64 r_b64_30, 0;")
	for i, name := range names {
		p.line("mov.u64 r_b64_31, opaque_%s; setp.eq.u32 r_pred_30, %s, %d; selp.b64 r_b64_30, r_b64_31, r_b64_30, r_pred_30;", name, kind, i)
	}
	acts, n := p.someThreads()
	old := p.r.IntN(2)
	guard := p.guard(acts)
	p.line("setp.eq.u32 r_pred_31, %d, 1; %s%s r_pred_31, r_b64_30; selp.u32 r_b32_30, 1, 0, r_pred_31;", old, guard, x.Opcode)
	p.result("r_b32_30", 32, func(thread int) outcome {
		if !acts[thread] {
			return outcome{bits: uint64(old)}
		}
		return outcome{bits: truth(has(x, names[kinds[thread]]))}
	})
	return n
}
