package adder

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
)

// operands reads what an instruction of the reference brings to the adder.
func operands(t *testing.T, op, x, y string) (Kind, step) {
	t.Helper()
	name, typ, _ := strings.Cut(op, ".")
	if typ[0] == 'f' {
		bits := 32
		if typ == "f64" {
			bits = 64
		}
		p, err := strconv.ParseFloat(x, bits)
		q, err2 := strconv.ParseFloat(y, bits)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		if name == "sub" {
			q = -q
		}
		if bits == 64 {
			a, b, c := formats[FP64].significands(math.Float64bits(p), math.Float64bits(q))
			return FP64, step{0, 0, 0, a, b, uint64(c)}
		}
		a, b, c := formats[FP32].significands(uint64(math.Float32bits(float32(p))), uint64(math.Float32bits(float32(q))))
		a1, b1, c1 := single(math.Float32bits(float32(p)), math.Float32bits(float32(q)))
		if a != uint64(a1) || b != uint64(b1) || c != c1 {
			t.Errorf("%s %s %s: two ways, %x %x %d and %x %x %d", op, x, y, a, b, c, a1, b1, c1)
		}
		return FP32, step{0, 0, 0, a, b, uint64(c)}
	}
	p, err := strconv.ParseInt(x, 10, 64)
	q, err2 := strconv.ParseInt(y, 10, 64)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	kind := Int32
	if typ[1:] == "64" {
		kind = Int64
	}
	if name == "sub" {
		return kind, minus(0, 0, 0, p, q)
	}
	return kind, plus(0, 0, 0, p, q)
}

// TestAdds: single additions, bit by bit.
func TestAdds(t *testing.T) {
	rows := golden(t, "st2_golden_adds.tsv")
	for _, row := range rows {
		kind, p := operands(t, row["op"], row["x"], row["y"])
		s := stream{"", kind, []step{p}}
		designs := []string{"staticZero", "staticOne", "staticZero+Peek"}
		b := ran(t, &s, 8, point(t, designs[0], "always", ""), point(t, designs[1], "always", ""), point(t, designs[2], "always", ""))
		x := &b.x
		n := kind.Slices(8)
		text := func(f func(i int) string) (s string) {
			for i := range n - 1 {
				s += f(i)
			}
			return s
		}
		carries := text(func(i int) string { return fmt.Sprint(x.True[i] & 1) })
		peek := text(func(i int) string {
			if x.Open[i]&1 != 0 {
				return "-"
			}
			return fmt.Sprint(x.True[i] & 1)
		})
		a, bb, carry := x.Operands(0)
		mask := uint64(1)<<(8*n-1)<<1 - 1
		sum := a + bb + carry
		out := sum >> (8 * n) & 1
		if n == 8 {
			out = (a&bb | (a|bb)&^sum) >> 63
		}
		got := fmt.Sprintf("%#x %#x %d %d %s %s %d %d %d %d %d %d %#x %d", a, bb, carry, n, carries, peek,
			b.counts[0][kind].Mispredicted, b.counts[0][kind].Recomputed, b.counts[1][kind].Mispredicted, b.counts[1][kind].Recomputed,
			b.counts[2][kind].Mispredicted, b.counts[2][kind].Recomputed, sum&mask, out)
		want := strings.Join([]string{row["opA_hex"], row["opB_hex(after inversion for sub)"], row["cin0"], row["slices"], row["true_cin_slice1..n-1"],
			row["peek_slice1..n-1(-=dynamic)"], row["mis_staticZero"], row["recompute_staticZero"], row["mis_staticOne"], row["recompute_staticOne"],
			row["mis_Zero+Peek"], row["recompute_Zero+Peek"], row["sum_hex"], row["carry_out"]}, " ")
		if got != want {
			t.Errorf("%s %s %s:\n%s, want\n%s", row["op"], row["x"], row["y"], got, want)
		}
	}
	if len(rows) != 20 {
		t.Errorf("%d rows were compared", len(rows))
	}
}

// speculated is the sum of VLSA's first cycle: each bit with the carry of the 8 below it.
func speculated(a, b, carry uint64, bits int) (sum uint64) {
	for i := range bits {
		low := max(0, i-8)
		c := carry
		if low > 0 {
			c = 0
		}
		m := uint64(1)<<(i-low) - 1
		c = (a>>low&m + b>>low&m + c) >> (i - low)
		sum |= ((a>>i ^ b>>i ^ c) & 1) << i
	}
	return sum
}

// predictedSum adds a and b in lane 0 slice by slice with the carry-ins that were
// predicted; what a slice carries out is lost.
func predictedSum(s *speculative, x *Vectors, a, b uint64) (sum uint64) {
	ones := uint64(1)<<x.Bits - 1
	for i := range x.Slices {
		in := uint64(0)
		if i > 0 {
			in = uint64(s.predicted[i-1] & 1)
		}
		at := i * x.Bits
		sum |= (a>>at&ones + b>>at&ones + in) & ones << at
	}
	return sum
}

// TestComparators: adders that the paper compares itself with.
func TestComparators(t *testing.T) {
	rows := golden(t, "st2_golden_comparators.tsv")
	for _, row := range rows {
		a, _ := strconv.ParseUint(row["A"], 0, 64)
		b, _ := strconv.ParseUint(row["B"], 0, 64)
		kind := Int32
		if row["width"] == "64" {
			kind = Int64
		}
		s := stream{"", kind, []step{{0, 0, 0, a, b, 0}}}
		bank := ran(t, &s, 8, point(t, "CSLA", "", ""), point(t, "CASA", "", ""), point(t, "ACA", "", ""), point(t, "VLSA", "", ""))
		low := ^uint64(0) >> (64 - kind.Bits())
		casa := predictedSum(bank.wrong[0], &bank.x, a, b)
		aca := predictedSum(bank.wrong[1], &bank.x, a, b)
		exact := (a + b) & low
		for i, sum := range []uint64{casa, aca} {
			if want := bank.counts[1+i][kind].Errors; want.Max != max(sum, exact)-min(sum, exact) {
				t.Errorf("%s+%s: %s is off by %d", row["A"], row["B"], []string{"CASA", "ACA"}[i], want.Max)
			}
		}
		flagged := bank.counts[3][kind].Mispredicted
		got := fmt.Sprintf("%#x %d %#x %d %#x %d %#x %d %d", exact, uint64(kind.Slices(8))+bank.counts[0][kind].Computations,
			casa, int64(casa-exact), aca, int64(aca-exact), speculated(a, b, 0, kind.Bits()), flagged, 1+flagged)
		want := strings.Join([]string{row["exact"], row["csla_slice_computations"], row["casa_and_result"], row["casa_error"], row["aca_result"], row["aca_error"],
			row["vlsa8_speculative"], row["vlsa8_flag"], row["vlsa8_cycles"]}, " ")
		if got != want {
			t.Errorf("%s+%s: %s, want %s", row["A"], row["B"], got, want)
		}
	}
	if len(rows) != 9 {
		t.Errorf("%d rows were compared", len(rows))
	}
}

// TestRandomComparators: 20,000 random pairs, as the reference has them; no sum of VLSA
// that was not flagged is wrong.
func TestRandomComparators(t *testing.T) {
	g := splitmix(7)
	s := stream{kind: Int32}
	unflagged := 0
	for range 20000 {
		a := g.next() >> 32
		b := g.next() >> 32
		s.list = append(s.list, step{0, 0, 0, a, b, 0})
		if speculated(a, b, 0, 32) == (a+b)&0xffffffff {
			continue
		}
		one := stream{kind: Int32, list: []step{{0, 0, 0, a, b, 0}}}
		if ran(t, &one, 8, point(t, "VLSA", "", "")).counts[0][Int32].Mispredicted == 0 {
			unflagged++
		}
	}
	b := ran(t, &s, 8, point(t, "CASA", "", ""), point(t, "ACA", "", ""), point(t, "VLSA", "", ""))
	if casa, aca, vlsa := b.counts[0][Int32].Errors.Wrong, b.counts[1][Int32].Errors.Wrong, b.counts[2][Int32].Mispredicted; casa != 17501 || aca != 72 || vlsa != 1018 || unflagged != 0 {
		t.Errorf("wrong sums: CASA %d, ACA %d; VLSA flagged %d, %d wrong ones not", casa, aca, vlsa, unflagged)
	}
}

// TestArbitration: the register file under warps that write at the same time, on the
// reference's schedule: 16 warps on 4 sub-cores, of which each idles now and then.
func TestArbitration(t *testing.T) {
	rows := golden(t, "st2_golden_crf.tsv")
	for _, row := range rows {
		seed, _ := strconv.ParseUint(row["seed"], 10, 64)
		p := point(t, Chosen, string(OnMiss), "")
		p.Arbitration, p.Seed = Arbitration(row["mode"]), seed
		b := newBank(8, []*Point{p}, &desk{})
		rounds := crfRounds(b)
		b.end()
		c := b.counts[0][Int32]
		writers := c.Stalled
		got := fmt.Sprint(rounds, b.work[Int32].Adds, c.Mispredicted, c.Stalled, writers, c.Conflicts, c.Dropped)
		want := strings.Join([]string{row["rounds"], row["thread_adds"], row["mispredicted"], row["stalled_warp_adds"], row["crf_writers"], row["conflicts"], row["dropped_lane_writes"]}, " ")
		if got != want {
			t.Errorf("%s %d: %s, want %s", row["mode"], seed, got, want)
		}
	}
	if len(rows) != 10 {
		t.Errorf("%d rows were compared", len(rows))
	}
}

// crfRounds runs the reference's schedule.
func crfRounds(b *bank) (rounds int) {
	const warps, ports, length = 16, 4, 24
	var at, next [warps]int
	for left := warps * length; left > 0; b.endRound() {
		rounds++
		for s := range ports {
			if (rounds+s)%5 == 0 {
				continue
			}
			for range warps / ports {
				w := s + ports*(next[s]%(warps/ports))
				next[s]++
				if at[w] == length {
					continue
				}
				it, k := int64(at[w]/3), at[w]%3
				at[w]++
				left--
				a := &Add{At: At{Number: uint32(k)}, Kind: Int32, A: make([]uint64, 16), B: make([]uint64, 16)}
				for l := range Lanes {
					g := int64(w*32 + l)
					a.set([]step{
						plus(k, l, int(g), it*int64(w+37), int64(w)+1), plus(k, l, int(g), 0x10000+int64(w)*251, g*4*(it+1)), minus(k, l, int(g), int64(l), it+int64(w)),
					}[k])
				}
				b.add(a)
				break
			}
		}
	}
	return rounds
}

// TestPeekUncorrected: what operands tell is not predicted wrong, by designs that nobody
// corrects either.
func TestPeekUncorrected(t *testing.T) {
	g := splitmix(11)
	for range 2000 {
		a := random(&g, Int32, 1)
		b := newBank(8, []*Point{point(t, "CASA+Peek", "", "")}, &desk{})
		b.add(a)
		x, s := &b.x, b.wrong[0]
		for i := range x.Predicted {
			s.predicted[i] = s.predicted[i]&x.Open[i] | x.True[i]&^x.Open[i]
		}
		p, q, _ := x.Operands(0)
		sum, want := predictedSum(s, x, p, q), (p+q+uint64(a.Carry&1))&0xffffffff
		sum = (sum&^0xff | (p+q+uint64(a.Carry&1))&0xff) & 0xffffffff
		if e := b.counts[0][Int32].Errors; e.Max != max(sum, want)-min(sum, want) {
			t.Fatalf("%#x + %#x: off by %#x, want %#x", p, q, e.Max, max(sum, want)-min(sum, want))
		}
	}
}
