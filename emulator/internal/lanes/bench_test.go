package lanes

import (
	"math"
	"math/rand/v2"
	"testing"

	"hyptx/ir/isa"
)

// BenchmarkLanes reports lane operations a second of the operations that
// programs are full of, on ordinary values.
func BenchmarkLanes(b *testing.B) {
	f32 := Variant{Type: isa.F32, Rnd: isa.RN}
	benches := []struct {
		name string
		fn   Fn
		t    isa.Type
	}{
		{"add.u32", Add(Variant{Type: isa.U32}), isa.U32},
		{"add.s64", Add(Variant{Type: isa.S64}), isa.S64},
		{"mul.lo.s32", Mul(Variant{Type: isa.S32, Mul: isa.LO_}), isa.S32},
		{"mad.lo.s32", Mad(Variant{Type: isa.S32, Mul: isa.LO_}), isa.S32},
		{"mad.lo.s64", Mad(Variant{Type: isa.S64, Mul: isa.LO_}), isa.S64},
		{"mul.wide.s32", Mul(Variant{Type: isa.S32, Mul: isa.WIDE}), isa.S32},
		{"and.b32", And(Variant{Type: isa.B32}), isa.B32},
		{"shl.b32", Shl(Variant{Type: isa.B32}), isa.B32},
		{"add.f32", Add(f32), isa.F32},
		{"mul.f32", Mul(f32), isa.F32},
		{"fma.rn.f32", Fma(f32), isa.F32},
		{"fma.rz.f32", Fma(Variant{Type: isa.F32, Rnd: isa.RZ}), isa.F32},
		{"fma.rn.ftz.f32", Fma(Variant{Type: isa.F32, Rnd: isa.RN, FTZ: true}), isa.F32},
		{"max.f32", Max(f32), isa.F32},
		{"div.rn.f32", Div(f32), isa.F32},
		{"sqrt.rn.f32", Sqrt(f32), isa.F32},
		{"fma.rn.f64", Fma(Variant{Type: isa.F64, Rnd: isa.RN}), isa.F64},
		{"add.f16", Add(Variant{Type: isa.F16}), isa.F16},
		{"fma.rn.f16x2", Fma(Variant{Type: isa.F16x2, Rnd: isa.RN}), isa.F16x2},
		{"ex2.approx.f32", Ex2(f32), isa.F32},
		{"cvt.rn.f32.s32", Cvt(Variant{Type: isa.F32, From: isa.S32, Rnd: isa.RN}), isa.S32},
		{"cvt.rzi.s32.f32", Cvt(Variant{Type: isa.S32, From: isa.F32, Rnd: isa.RZI}), isa.F32},
		{"cvt.f32.f16", Cvt(Variant{Type: isa.F32, From: isa.F16}), isa.F16},
		{"cvt.rn.f16.f32", Cvt(Variant{Type: isa.F16, From: isa.F32, Rnd: isa.RN}), isa.F32},
	}
	for _, bench := range benches {
		b.Run(bench.name, func(b *testing.B) {
			regs := benchOperands(bench.t)
			for b.Loop() {
				bench.fn(regs.at(0), regs.at(1), regs.at(2), regs.at(3))
			}
			report(b)
		})
	}
}

func report(b *testing.B) {
	b.ReportMetric(float64(b.N)*Width/b.Elapsed().Seconds(), "lane-ops/s")
}

// benchOperands fills three operands with ordinary values.
func benchOperands(t isa.Type) *registers {
	r := rand.New(rand.NewPCG(1, 1))
	regs := new(registers)
	for lane := range Width {
		for i := 1; i <= 3; i++ {
			x := r.Float64()*4 - 2
			b := r.Uint64() & 31
			switch t {
			case isa.F32:
				b = uint64(math.Float32bits(float32(x)))
			case isa.F64:
				b = math.Float64bits(x)
			case isa.F16, isa.F16x2:
				b = uint64(f64ToF16(x)) * 0x10001 & (1<<t.Bits() - 1)
			}
			regs.set(t, i, lane, b)
		}
	}
	return regs
}

func BenchmarkSetp(b *testing.B) {
	for _, t := range []isa.Type{isa.S32, isa.U64, isa.F32} {
		for name, c := range map[string]isa.Cmp{"lt": isa.LT, "le": isa.LE, "ne": isa.NE} {
			b.Run(name+t.String(), func(b *testing.B) {
				regs, fn := benchOperands(t), Setp(Variant{Type: t, Cmp: c})
				var sum uint32
				for b.Loop() {
					sum += fn(regs.at(1), regs.at(2))
				}
				report(b)
			})
		}
	}
}

// BenchmarkMMA counts multiply-adds.
func BenchmarkMMA(b *testing.B) {
	fn := MMA(Matrix{M: 16, K: 16, D: isa.F32, A: isa.F16, B: isa.F16, C: isa.F32})
	d, x, y, c := fragmentRegs(), fragmentRegs(), fragmentRegs(), fragmentRegs()
	for b.Loop() {
		fn(d, x, y, c, nil)
	}
	b.ReportMetric(float64(b.N)*16*8*16/b.Elapsed().Seconds(), "multiply-adds/s")
}
