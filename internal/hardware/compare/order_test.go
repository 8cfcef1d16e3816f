package compare

import (
	"encoding/binary"
	"testing"

	"hyptx/analysis"
)

// words returns outputs of 32-bit words.
func words(ours []analysis.Output, x ...uint32) []analysis.Output {
	o := ours[0]
	o.Data = nil
	for _, w := range x {
		o.Data = binary.LittleEndian.AppendUint32(o.Data, w)
	}
	return append([]analysis.Output{o}, ours[1:]...)
}

// numbers are 1 to n.
func numbers(n int) (x []any) {
	for i := range n {
		x = append(x, i+1)
	}
	return x
}

// TestByOrder: what hangs on the order of threads is neither called different
// nor passed, unless a run gave just that; what does not is judged as ever.
func TestByOrder(t *testing.T) {
	const mine = "ld.param.u64 %rd2, [y]; ld.global.u32 %r2, [%rd1];\n"
	for _, c := range []struct {
		name string
		p    program
		// change makes another machine's output of the emulator's.
		change func(y []uint32)
		want   Verdict
	}{
		{"append", program{elements: 65, body: mine + "atom.global.add.u32 %r3, [%rd2], 1; mul.wide.u32 %rd3, %r3, 4; add.u64 %rd2, %rd2, %rd3; st.global.u32 [%rd2+4], %r2;"},
			func(y []uint32) { y[1], y[40] = y[40], y[1] }, Undecided},
		{"append, an order that a run had", program{elements: 65, body: mine + "atom.global.add.u32 %r3, [%rd2], 1; mul.wide.u32 %rd3, %r3, 4; add.u64 %rd2, %rd2, %rd3; st.global.u32 [%rd2+4], %r2;"},
			func(y []uint32) {
				for i := range 32 {
					y[1+i], y[64-i] = y[64-i], y[1+i]
				}
			}, Within},
		{"a place that no thread took", program{elements: 128, body: mine + "atom.global.add.u32 %r3, [%rd2], 2; mul.wide.u32 %rd3, %r3, 4; add.u64 %rd2, %rd2, %rd3; st.global.u32 [%rd2+4], %r2;"},
			func(y []uint32) { y[2] = 7 }, Undecided},
		{"who comes first", program{elements: 65, body: mine + "mul.wide.u32 %rd3, %r1, 4; atom.global.add.u32 %r3, [%rd2], 1; add.u64 %rd2, %rd2, %rd3; setp.eq.u32 %p1, %r3, 0; @%p1 st.global.u32 [%rd2+4], %r2;"},
			func(y []uint32) { y[1], y[9] = 0, 9 }, Undecided},
		{"a racing load", program{elements: 64, body: "ld.global.u32 %r2, [%rd1]; st.global.u32 [%rd2], %r2; xor.b32 %r3, %r1, 32; ld.param.u64 %rd2, [y]; mul.wide.u32 %rd3, %r3, 4; add.u64 %rd2, %rd2, %rd3; ld.global.u32 %r4, [%rd2]; st.global.u32 [%rd1], %r4;",
			launches: []string{`{"buffer": "x"}, {"buffer": "y"}`, `{"buffer": "y"}, {"buffer": "x"}`}}, func(y []uint32) { y[3] = 0 }, Undecided},
		{"through shared memory", program{elements: 64, body: ".shared .b32 n; .shared .b32 s[64]; ld.global.u32 %r2, [%rd1]; atom.shared.add.u32 %r3, [n], 1; mul.lo.u32 %r3, %r3, 4; mov.u32 %r4, s; add.u32 %r3, %r3, %r4; st.shared.u32 [%r3], %r2; bar.sync 0;\n" +
			"mul.lo.u32 %r3, %r1, 4; add.u32 %r3, %r3, %r4; ld.shared.u32 %r5, [%r3]; st.global.u32 [%rd2], %r5;"}, func(y []uint32) { y[0], y[50] = y[50], y[0] }, Undecided},
		{"a histogram has one sum", program{elements: 4, body: mine + "and.b32 %r2, %r2, 3; mul.wide.u32 %rd3, %r2, 4; add.u64 %rd2, %rd2, %rd3; red.global.add.u32 [%rd2], 1;"},
			func(y []uint32) { y[2]++ }, Differs},
		{"a sum beside a count", program{elements: 65, body: mine + "atom.global.add.u32 %r3, [%rd2], 1; mul.wide.u32 %rd3, %r1, 4; add.u64 %rd2, %rd2, %rd3; st.global.u32 [%rd2+4], %r2;"},
			func(y []uint32) { y[9]++ }, Differs},
		{"barriers order", program{elements: 64, body: ".shared .b32 s[64]; ld.global.u32 %r2, [%rd1]; mov.u32 %r4, s; mul.lo.u32 %r3, %r1, 4; add.u32 %r3, %r3, %r4; st.shared.u32 [%r3], %r2; bar.sync 0; xor.b32 %r5, %r1, 33; mul.lo.u32 %r5, %r5, 4; add.u32 %r5, %r5, %r4;\n" +
			"ld.shared.u32 %r6, [%r5]; st.global.u32 [%rd2], %r6;"}, func(y []uint32) { y[5]++ }, Differs},
		{"no barrier", program{elements: 64, body: ".shared .b32 s[64]; ld.global.u32 %r2, [%rd1]; mov.u32 %r4, s; mul.lo.u32 %r3, %r1, 4; add.u32 %r3, %r3, %r4; st.shared.u32 [%r3], %r2; xor.b32 %r5, %r1, 33; mul.lo.u32 %r5, %r5, 4; add.u32 %r5, %r5, %r4;\n" +
			"ld.shared.u32 %r6, [%r5]; st.global.u32 [%rd2], %r6;"}, func(y []uint32) { y[5]++ }, Undecided},
	} {
		c.p.in, c.p.out, c.p.x = "u32", "u32", numbers(64)
		open := c.p.opener(t)
		ours := outputs(t, open, nil)
		var y []uint32
		for i := range ours[0].Len() {
			y = append(y, uint32(ours[0].Bits(i)))
		}
		c.change(y)
		r := compared(t, open, words(ours, y...))
		b := r.Outputs[0]
		if r.Verdict != c.want || (c.want == Undecided) != (b.ByOrder > 0) {
			t.Errorf("%s: %s, %+v", c.name, r.Verdict, b)
		}
		f, err := NewFollower(open)
		if err != nil {
			t.Fatal(err)
		}
		if c.p.launches != nil {
			continue
		}
		theirs, err := f.ours.Outputs() // x, as it was, and y
		if err != nil {
			t.Fatal(err)
		}
		theirs[1].Data = words(ours, y...)[0].Data
		if r, err := f.After(t.Context(), theirs); err != nil || r.Verdict != c.want {
			t.Errorf("%s, launch by launch: %+v, %v", c.name, r, err)
		}
	}
}

// TestTooLargeToFollow: a program whose order cannot be followed depends on it
// as a whole, as far as its code says.
func TestTooLargeToFollow(t *testing.T) {
	for body, want := range map[string]Verdict{
		"ld.param.u64 %rd2, [y]; atom.global.add.u32 %r2, [%rd2], 1; st.global.u32 [%rd2+4], %r1;": Undecided,
		"st.global.u32 [%rd2], %r1;": Differs,
		"ld.global.u32 %r2, [%rd2]; add.u32 %r2, %r2, %r1; st.global.u32 [%rd2], %r2;": Differs, // in place
	} {
		open := program{in: "u32", out: "u32", x: numbers(2), elements: 17 << 20, body: body}.opener(t)
		ours := outputs(t, open, nil)
		if r := compared(t, open, with(ours, 9, 5)); r.Verdict != want {
			t.Errorf("%s: %s, want %s", body, r.Verdict, want)
		}
	}
}
