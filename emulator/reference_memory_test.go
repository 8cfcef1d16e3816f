package emulator

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"

	"hyptx/emulator/internal/softfloat"
	"hyptx/ir/isa"
)

// areaBytes is what each thread has at the address of an instruction, aligned to
// its size: enough for any vector.
const areaBytes = 64

// constantBytes are those of the constant bank, an area for each thread of a CTA;
// the first is also the kernel's parameter.
var constantBytes = func() []byte {
	r := rand.New(rand.NewPCG(41, 42))
	b := make([]byte, 32*areaBytes)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}()

func commas(b []byte) string {
	var s strings.Builder
	for i, v := range b {
		if i > 0 {
			s.WriteByte(',')
		}
		fmt.Fprint(&s, v)
	}
	return s.String()
}

// area is the memory that one instruction addresses. Its bytes stand in the
// buffer mem; for an instruction on shared or local memory they are copied there
// and back.
type area struct {
	address string
	offset  int    // in mem
	copied  bool   // through address
	whole   string // the address of all lanes, if it is another
	space   string
	fixed   isa.Space // Const or Param: nothing is written
	doubles bool      // of f64, the payload of whose NaNs is open
}

// newArea draws the memory of an instruction and has the program prepare it.
func (p *proof) newArea(x *isa.Inst) *area {
	a := &area{offset: len(p.mem), doubles: x.Type() == isa.F64}
	elem := x.Type().Elem()
	for i := range p.threads() * areaBytes / 8 {
		word := p.r.Uint64()
		used := max(int(x.Vec), 1) * x.Type().Bits() // of the thread's area
		if n := elem.Bits(); x.IsAtomic() && n <= 64 && i*64%(8*areaBytes) < used {
			word = 0
			for at := 0; at < 64; at += n {
				word |= low(p.draw(elem, n), n) << at
			}
		}
		p.mem = binary.LittleEndian.AppendUint64(p.mem, word)
	}
	whole := x.Op == isa.OpWmmaLoad || x.Op == isa.OpWmmaStore // the warp has one address
	switch x.Space {
	case isa.Shared, isa.SharedCluster:
		a.address, a.space, a.copied = "sh", "shared", true
	case isa.Local:
		a.address, a.space, a.copied = "lo", "local", true
	case isa.Const:
		a.address, a.fixed = "co", isa.Const
	case isa.Param, isa.ParamEntry:
		a.address, a.fixed = "given", isa.Param
	default:
		a.address = fmt.Sprintf("mem+%d", a.offset)
		if whole {
			a.address = fmt.Sprintf("all+%d", a.offset)
		}
	}
	if a.copied {
		for i := 0; i < areaBytes; i += 8 {
			p.line("ld.global.b64 r_b64_36, [mem+%d];\nst.%s.b64 [%s+%d], r_b64_36;", a.offset+i, a.space, a.address, i)
		}
	}
	if whole && a.copied {
		a.whole = "[shared]"
	}
	a.address = "[" + a.address + "]"
	return a
}

func (a *area) copyBack(p *proof) {
	if !a.copied {
		return
	}
	for i := 0; i < areaBytes; i += 8 {
		p.line("ld.%s.b64 r_b64_36, [%s+%d];\nst.global.b64 [mem+%d], r_b64_36;", a.space, strings.Trim(a.address, "[]"), i, a.offset+i)
	}
}

// of returns the area of a lane of a warp within mem.
func (a *area) of(mem []byte, warp, lane int) []byte {
	return mem[a.offset+(32*warp+lane)*areaBytes:][:areaBytes]
}

// before returns copies of the areas of a warp.
func (a *area) before(p *proof, warp int) [][]byte {
	list := make([][]byte, 32)
	for lane := range list {
		switch {
		case a == nil:
		case a.fixed == isa.Const:
			list[lane] = bytes.Clone(constantBytes[lane*areaBytes:][:areaBytes])
		case a.fixed == isa.Param:
			list[lane] = bytes.Clone(constantBytes[:areaBytes])
		default:
			list[lane] = bytes.Clone(a.of(p.mem, warp, lane))
		}
	}
	return list
}

// differs returns the first lane of a warp whose memory is not as wanted, -1 if
// all are.
func (a *area) differs(p *proof, warp int, want [][]byte, memory []byte) int {
	if a == nil || a.fixed != 0 {
		return -1
	}
	for lane := range want {
		got := a.of(memory, warp, lane)
		for i := 0; i < areaBytes/8; i++ {
			w, g := wordAt(want[lane], i, 64), wordAt(got, i, 64)
			if w != g && !(a.doubles && softfloat.F64.IsNaN(w) && softfloat.F64.IsNaN(g)) {
				return lane
			}
		}
	}
	return -1
}

// memoryReferences are loads, stores and atomic operations of each thread at an
// address of its own (PTX ISA 9.7.10.8 to .11, 9.7.15.5, .6).
var memoryReferences = map[isa.Op]memoryReference{
	isa.OpLd: loadedVector, isa.OpLdu: loadedVector, isa.OpSt: stored,
	isa.OpAtom: updated,
	isa.OpRed:  updatedOnly,
	// On one device a multimem address stands for itself alone (9.7.10.13, .15, 9.7.15.8).
	isa.OpMultimemLdReduce: loadedVector, isa.OpMultimemSt: stored, isa.OpMultimemRed: updatedOnly,
	isa.OpMultimemStAsync: stored, isa.OpMultimemRedAsync: updatedOnly,
	// Of st.async and red.async those that store to global memory and tell nobody (9.7.10.12, 9.7.15.7).
	isa.OpStAsync: stored, isa.OpRedAsync: updatedOnly,
}

func updatedOnly(x *isa.Inst, in []uint64, mem []byte) []outcome {
	updated(x, in, mem)
	return []outcome{}
}

// wordAt reads n bits at element i.
func wordAt(mem []byte, i, n int) (v uint64) {
	for k := n/8 - 1; k >= 0; k-- {
		v = v<<8 | uint64(mem[i*n/8+k])
	}
	return v
}

func putWord(mem []byte, i, n int, v uint64) {
	for k := range n / 8 {
		mem[i*n/8+k] = byte(v >> (8 * k))
	}
}

// loadedVector extends each element to its register.
func loadedVector(x *isa.Inst, _ []uint64, mem []byte) (out []outcome) {
	t := x.Type()
	n := min(t.Bits(), 64)
	for i := range max(int(x.Vec), 1) * t.Bits() / n {
		v := wordAt(mem, i, n)
		if formatOf(t) != nil || t.Bits() > 64 {
			out = append(out, outcome{bits: v})
			continue
		}
		out = append(out, extended(t, number(t, v))...)
	}
	return out
}

func stored(x *isa.Inst, in []uint64, mem []byte) []outcome {
	n := min(x.Type().Bits(), 64)
	for i, v := range in {
		putWord(mem, i, n, v)
	}
	return []outcome{}
}

// updated applies an atomic operation to each element; the result is what was
// there.
func updated(x *isa.Inst, in []uint64, mem []byte) (out []outcome) {
	t := x.Type()
	n := min(t.Bits(), 64)
	if t.Bits() == 128 {
		return updated128(x, in, mem)
	}
	for i := range max(int(x.Vec), 1) {
		was := wordAt(mem, i, n)
		out = append(out, outcome{bits: was})
		c := uint64(0)
		if len(in) > 1 {
			c = in[1]
		}
		putWord(mem, i, n, atomicResult(x, was, low(in[i], n), low(c, n)))
	}
	return out
}

func updated128(x *isa.Inst, in []uint64, mem []byte) []outcome {
	lo, hi := wordAt(mem, 0, 64), wordAt(mem, 1, 64)
	write := in
	if x.Sub.String() == "cas" {
		write = in[2:]
		if lo != in[0] || hi != in[1] {
			write = []uint64{lo, hi}
		}
	}
	putWord(mem, 0, 64, write[0])
	putWord(mem, 1, 64, write[1])
	return []outcome{{bits: lo}, {bits: hi}}
}

// atomicResult is what an operation leaves of one element.
func atomicResult(x *isa.Inst, was, b, c uint64) uint64 {
	t := x.Type()
	op := x.Sub.String()
	switch op {
	case "exch":
		return b
	case "cas":
		if was == b {
			return c
		}
		return was
	case "and":
		return was & b
	case "or":
		return was | b
	case "xor":
		return was ^ b
	case "inc":
		if was >= b {
			return 0
		}
		return was + 1
	case "dec":
		if was == 0 || was > b {
			return b
		}
		return was - 1
	}
	elem := t.Elem()
	n := elem.Bits()
	var d uint64
	for k := range t.Lanes() {
		u, v := low(was>>(k*n), n), low(b>>(k*n), n)
		d |= atomicElement(x, elem, u, v) << (k * n)
	}
	return d
}

func atomicElement(x *isa.Inst, t isa.Type, was, b uint64) uint64 {
	op := x.Sub.String()
	f := formatOf(t)
	switch {
	case f == nil && op == "add":
		return low(was+b, t.Bits())
	case f == nil:
		if less := number(t, b).Cmp(number(t, was)) < 0; less == (op == "min") {
			return b
		}
		return was
	case op == "add":
		return result(f, addAtomic(x, f, was, b)).bits
	}
	sign := 1
	if op == "min" {
		sign = -1
	}
	return result(f, pickExtremum(x, f, sign, was, b)).bits
}

// addAtomic is the addition of f32 in global memory, which flushes subnormals;
// in shared memory, and with .noftz, nothing does (9.7.15.5).
func addAtomic(x *isa.Inst, f *softfloat.Format, was, b uint64) uint64 {
	if *f != softfloat.F32 || x.Has(isa.ModNoftz) || x.Space == isa.Shared || x.Space == isa.SharedCluster {
		return f.Add(was, b, isa.RN)
	}
	r := f.Add(f.Flush(was), f.Flush(b), isa.RN)
	if r == softfloat.Invalid {
		return r
	}
	return f.Flush(r)
}
