package manifest

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/big"
	"testing"

	"hyptx/internal/fp16"
)

// Published outputs: Vigna's splitmix64.c with the states 0 and 1234567
// (Rosetta Code, "Pseudo-random numbers/Splitmix64").
func TestSplitmix64(t *testing.T) {
	for seed, want := range map[uint64][]uint64{
		0:       {0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F},
		1234567: {6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821},
	} {
		for i, w := range want {
			if got := mix(seed + uint64(i)*golden + golden); got != w {
				t.Errorf("output %d of %d is %d, want %d", i, seed, got, w)
			}
		}
	}
}

var two64 = new(big.Int).Lsh(big.NewInt(1), 64)

func bigHex(s string) *big.Int {
	v, _ := new(big.Int).SetString(s, 16)
	return v
}

// drawOracle is the format's definition of u for a seed and a counter, in
// integers without end: 24 bits, and 2^-24 as a fraction.
func drawOracle(seed uint64, counter int64) *big.Rat {
	mod := func(x *big.Int) *big.Int { return x.Mod(x, two64) }
	xorShift := func(x *big.Int, n uint) *big.Int { return x.Xor(x, new(big.Int).Rsh(x, n)) }
	step := bigHex("9E3779B97F4A7C15")
	x := new(big.Int).Mul(new(big.Int).SetUint64(seed), step)
	x = mod(x.Add(x, big.NewInt(counter)))
	x = mod(x.Add(x, step))
	x = mod(x.Mul(xorShift(x, 30), bigHex("BF58476D1CE4E5B9")))
	x = mod(x.Mul(xorShift(x, 27), bigHex("94D049BB133111EB")))
	x = xorShift(x, 31)
	return new(big.Rat).SetFrac(x.Rsh(x, 40), big.NewInt(1<<24))
}

// rounded rounds an exact value to a double.
func rounded(r *big.Rat) *big.Rat {
	x, _ := r.Float64()
	return new(big.Rat).SetFloat64(x)
}

func ratOf(s string) *big.Rat {
	r, _ := new(big.Rat).SetString(s)
	return rounded(r)
}

// affine is a + b*x, each operation rounded by itself.
func affine(a, b, x *big.Rat) *big.Rat {
	p := rounded(new(big.Rat).Mul(b, x))
	return rounded(p.Add(a, p))
}

// typed rounds a double to a floating-point type. Halves are package fp16's,
// which holds them to the definition of their formats.
func typed(typ Type, r *big.Rat) uint64 {
	x, _ := r.Float64()
	switch typ {
	case F16:
		return uint64(fp16.F64ToF16(x))
	case BF16:
		return uint64(fp16.F64ToBF16(x))
	case F32:
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(x)
}

func floorOf(r *big.Rat) int64 {
	q := new(big.Int)
	q.Div(r.Num(), r.Denom()) // Euclidean: the floor for a positive divisor
	return q.Int64()
}

func element(t *testing.T, b *Buffer, i int64) uint64 {
	t.Helper()
	var data [8]byte
	size := b.Type.Size()
	if err := b.Fill(data[:size], i*int64(size)); err != nil {
		t.Fatal(err)
	}
	return binary.LittleEndian.Uint64(data[:])
}

func bufferOf(t *testing.T, typ Type, count int64, init string) *Buffer {
	t.Helper()
	m := parseOK(t, `{"version": 1, "buffers": {"b": {"bytes": `+Int(count*int64(typ.Size())).String()+`, "type": "`+typ.String()+`", "init": `+init+`}}, "launches": []}`)
	return m.Buffers[0]
}

var elements = []int64{0, 1, 2, 3, 1000, 16383, 16384, 1<<20 - 1}

func TestUniform(t *testing.T) {
	for _, c := range []struct{ low, high string }{{"-1", "1"}, {"-0.05", "0.05"}, {"0.5", "1.5"}, {"3", "3"}} {
		for _, seed := range []uint64{0, 1, 12, math.MaxUint64} {
			low, high := ratOf(c.low), ratOf(c.high)
			span := rounded(new(big.Rat).Sub(high, low))
			for _, typ := range []Type{F16, BF16, F32, F64} {
				b := bufferOf(t, typ, 1<<20, `{"uniform": {"seed": `+new(big.Int).SetUint64(seed).String()+`, "low": `+c.low+`, "high": `+c.high+`}}`)
				for _, i := range elements {
					want := typed(typ, affine(low, span, drawOracle(seed, i)))
					if got := element(t, b, i); got != want {
						t.Errorf("%s %s..%s seed %d element %d: %#x, want %#x", typ, c.low, c.high, seed, i, got, want)
					}
				}
			}
		}
	}
}

func TestUniformIntegers(t *testing.T) {
	for _, c := range []struct {
		typ       Type
		low, high int64
	}{{S8, -128, 127}, {U8, 0, 255}, {S32, -5, 5}, {U32, 0, 1<<32 - 1}, {S32, math.MinInt32, math.MaxInt32}, {B16, -3, 3}, {S64, -1 << 40, 1 << 40}, {U16, 7, 7}} {
		b := bufferOf(t, c.typ, 1<<20, `{"uniform": {"seed": 5, "low": `+Int(c.low).String()+`, "high": `+Int(c.high).String()+`}}`)
		low, high := new(big.Rat).SetInt64(c.low), new(big.Rat).SetInt64(c.high)
		span := rounded(new(big.Rat).Sub(high, low))
		span = rounded(span.Add(span, new(big.Rat).SetInt64(1)))
		for _, i := range elements {
			want := floorOf(affine(low, span, drawOracle(5, i)))
			mask := uint64(math.MaxUint64) >> (64 - 8*c.typ.Size())
			if got := element(t, b, i); got != uint64(want)&mask || want < c.low || want > c.high {
				t.Errorf("%s %d..%d element %d: %#x, want %d", c.typ, c.low, c.high, i, got, want)
			}
		}
	}
}

func TestNormal(t *testing.T) {
	mean, stddev := ratOf("0.25"), ratOf("1.7")
	for _, typ := range []Type{F16, BF16, F32, F64, S16} {
		b := bufferOf(t, typ, 1<<20, `{"normal": {"seed": 9, "mean": 0.25, "stddev": 1.7}}`)
		for _, i := range elements {
			sum := new(big.Rat).SetInt64(-6)
			for k := range int64(12) {
				sum.Add(sum, drawOracle(9, 12*i+k))
			}
			x := affine(mean, stddev, sum)
			want := uint64(0)
			if typ.IsFloat() {
				want = typed(typ, x)
			} else { // the nearest integer; a tie has probability 0 here
				want = uint64(uint16(floorOf(x.Add(x, big.NewRat(1, 2)))))
			}
			if got := element(t, b, i); got != want {
				t.Errorf("%s element %d: %#x, want %#x", typ, i, got, want)
			}
		}
	}
}

// Any cut of a buffer into pieces gives the same bytes.
func TestFillPieces(t *testing.T) {
	for _, init := range []string{`{"uniform": {"seed": 3, "low": 0, "high": 100}}`, `{"normal": {"seed": 3, "mean": 0, "stddev": 4}}`,
		`{"iota": {"start": 5, "step": 3}}`, `{"fill": 77}`, `"zero"`} {
		for _, typ := range []Type{S8, U16, F16, F32, F64, U64} {
			b := bufferOf(t, typ, 500, init)
			whole := make([]byte, b.Bytes)
			if err := b.Fill(whole, 0); err != nil {
				t.Fatal(err)
			}
			for _, piece := range []int{1, 3, 7, 64, 333} {
				var got []byte
				for len(got) < len(whole) {
					p := make([]byte, min(piece, len(whole)-len(got)))
					if err := b.Fill(p, int64(len(got))); err != nil {
						t.Fatal(err)
					}
					got = append(got, p...)
				}
				if !bytes.Equal(got, whole) {
					t.Errorf("%s %s in pieces of %d differs", typ, init, piece)
				}
			}
		}
	}
}

func TestIota(t *testing.T) {
	for _, c := range []struct {
		typ  Type
		init string
		i    int64
		want uint64
	}{
		{S32, `{"iota": {}}`, 7, 7},
		{U8, `{"iota": {"start": 250}}`, 10, 4}, // modulo 2^8
		{U32, `{"iota": {"start": 10, "step": -1}}`, 11, math.MaxUint32},
		{F32, `{"iota": {"start": 0.5, "step": 0.25}}`, 2, 0x3f800000},
		{F16, `{"iota": {"start": 1, "step": 1}}`, 2048, 0x6800}, // 2049 is a tie, to even: 2048
	} {
		b := bufferOf(t, c.typ, 4096, c.init)
		if got := element(t, b, c.i); got != c.want {
			t.Errorf("%s %s element %d: %#x, want %#x", c.typ, c.init, c.i, got, c.want)
		}
	}
}

func TestFillAllocatesNothing(t *testing.T) {
	b := bufferOf(t, F32, 1<<30, `{"uniform": {"seed": 1, "low": -1, "high": 1}}`)
	page := make([]byte, 1<<16)
	if n := testing.AllocsPerRun(10, func() {
		if err := b.Fill(page, 1<<31); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations a page", n)
	}
}

func BenchmarkFill(b *testing.B) {
	page := make([]byte, 1<<16)
	for _, c := range []struct {
		name string
		s    Source
	}{
		{"uniform/f32", uniformSource(F32, 1, -1, 1)}, {"uniform/f16", uniformSource(F16, 1, -1, 1)},
		{"uniform/bf16", uniformSource(BF16, 1, -1, 1)}, {"uniform/s8", uniformSource(S8, 1, -128, 127)},
		{"normal/f32", normalSource(F32, 1, 0, 1)}, {"fill/f32", fillSource(4, 0x3f800000)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(page)))
			for b.Loop() {
				if err := c.s.Fill(page, 1<<16); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
