package emulator

import (
	"fmt"
	"slices"
	"strings"

	"hyptx/ir/isa"
)

// operand picks registers and, for sources, loads them.
func (p *proof) operand(x *isa.Inst, s *isa.OperandSpec, pair bool) proofOperand {
	o := proofOperand{spec: s, typ: x.OperandType(s)}
	if s.Kind == isa.Immediate {
		o.imm = p.r.Uint64() & 0xff
		if p.matrix != nil {
			o.imm %= uint64(selectors(x))
		}
		return o
	}
	if o, is := p.textureOperand(x, s); is {
		return o
	}
	if s.Kind == isa.Policy || s.Kind == isa.Address {
		o.names = []string{"r_b64_35"}
		return o
	}
	if o.typ == isa.NoType {
		o.typ = isa.B32
	}
	o.bits = max(o.typ.Bits(), 16)
	switch {
	case o.typ == isa.Pred:
		o.bits = 1
	case x.Op == isa.OpMov, o.typ.IsFloat() && o.typ.Bits() == 8:
		o.bits = o.typ.Bits() // 8-bit registers are for mov, and for pairs of 4 bits
	}
	if s.Wider && !o.typ.IsFloat() && o.bits <= 64 {
		o.bits = []int{o.bits, max(o.bits, 32), 64}[p.r.IntN(3)]
	}
	n := s.Vector
	matrices := x.CrossLane() && len(x.Form.Memory) > 0 && p.tile == nil
	if n == 0 && (x.Vec > 1 && s.Rule != isa.Fixed || matrices) {
		n = int(x.Vec)
		if fixed := x.Elements(s); matrices && fixed > 0 {
			n = fixed
		}
	}
	o.braces = matrices
	if x.Op == isa.OpSpcompress || x.Op == isa.OpSpdecompress {
		if n, o.braces = x.Elements(s), s.Name != "spdesc"; !o.braces { // the types of its elements, four choices of each
			o.below = map[bool]uint64{true: 4 * 2, false: 4 * 6}[has(x, "b16")]
		}
	}
	for range max(n, 1) {
		p.regs++
		o.names = append(o.names, fmt.Sprintf("r_%s_%d", registerType(o.typ, o.bits), p.regs))
	}
	if (s.Pair || s.MayPair) && pair {
		o.pair = "r_pred_38"
	}
	if s.MayNot {
		o.not = p.r.IntN(2) == 0
	}
	if !s.Write {
		p.load(&o)
	}
	return o
}

// registerType returns the type of a register of so many bits, as
// canonicalModule names it.
func registerType(t isa.Type, bits int) string {
	switch {
	case bits == 1:
		return "pred"
	case (t == isa.F32 || t == isa.F64) && t.Bits() == bits:
		return t.String()[1:]
	}
	return fmt.Sprintf("b%d", bits)
}

func (o *proofOperand) String() string {
	if o.spec.Kind == isa.Immediate {
		return fmt.Sprint(o.imm)
	}
	switch {
	case o.brackets:
		return o.bracketText()
	case o.scalar:
		return o.names[0]
	}
	text := strings.Join(o.names, ", ")
	if len(o.names) > 1 || o.spec.Vector > 0 || o.braces {
		text = "{" + text + "}"
	}
	if o.pair != "" {
		text += "|" + o.pair
	}
	if o.not {
		text = "!" + text
	}
	return o.partText(text)
}

// words are the values of up to 64 bits that a register takes.
func (o *proofOperand) words() int { return max(o.bits/64, 1) }

// drawFor draws a value for an operand; masks of lanes name the whole warp.
func (p *proof) drawFor(o *proofOperand) uint64 {
	switch {
	case o.below > 0:
		return p.r.Uint64N(o.below)
	case p.barriers && o.spec.Name == "a":
		return 5
	case p.barriers && o.spec.Name == "b":
		return 32
	case p.tile != nil && o.spec.Name == "stride":
		return p.strideOf(p.tile)
	case p.matrix != nil && !strings.Contains("abc", o.spec.Name):
		return p.besideMatrix(p.matrix, o.spec.Name)
	case p.matrix != nil:
		return low(p.matrixWord(p.matrix, o.spec.Name), o.bits)
	}
	if o.spec.Name == "mask" && o.bits == 32 && o.typ != isa.NoType && p.wholeWarps {
		return 1<<32 - 1
	}
	return p.draw(o.typ, o.bits)
}

// load draws values for an operand and has the program load them.
func (p *proof) load(o *proofOperand) {
	for _, name := range o.names {
		at := 8 * len(p.in)
		for range p.threads() * o.words() {
			p.in = append(p.in, p.drawFor(o))
		}
		switch {
		case o.words() == 2:
			p.line("ld.global.b64 r_b64_36, [in+%d];\nld.global.b64 r_b64_37, [in+%d];\nmov.b128 %s, {r_b64_36, r_b64_37};", at, at+8*p.threads(), name)
		case o.bits == 1:
			p.line("ld.global.u32 r_b32_0, [in+%d];\nsetp.ne.u32 %s, r_b32_0, 0;", at, name)
		default:
			p.line("ld.global.b%d %s, [in+%d];", o.bits, name, at)
		}
	}
}

// store appends the result of an operand to what the program writes.
func (p *proof) store(o *proofOperand) {
	names := o.names
	if o.pair != "" {
		names = append(slices.Clone(names), o.pair)
	}
	for _, name := range names {
		bits := o.bits
		if o.words() == 2 {
			p.line("mov.b128 {r_b64_36, r_b64_37}, %s;\nst.global.b64 [out+%d], r_b64_36;", name, 8*p.threads()*p.outs)
			name, bits = "r_b64_37", 64
			p.outs++
		}
		if strings.HasPrefix(name, "r_pred") {
			p.line("selp.u32 r_b32_0, 1, 0, %s;", name)
			name, bits = "r_b32_0", 32
		}
		p.line("st.global.b%d [out+%d], %s;", bits, 8*p.threads()*p.outs, name)
		p.outs++
	}
}
