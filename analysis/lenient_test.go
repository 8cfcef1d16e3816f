package analysis

import (
	"encoding/binary"
	"strings"
	"testing"

	"hyptx/parser"
)

// outsideProgram: the odd lanes of a warp exchange values, with a mask that names the
// even ones alone, and then a vote of all decides on what came.
var outsideProgram = program{`.version 7.0
.target sm_70
.address_size 64
.entry k(.param .u64 y) { .reg .u64 %d<5>; .reg .u32 %r<6>; .reg .pred %p<3>;
	ld.param.u64 %d1, [y]; mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; mov.u32 %r3, 99;
	@%p1 bra D;
	shfl.sync.bfly.b32 %r3, %r1, 2, 31, 0x55555555;
	setp.gt.u32 %p2, %r3, 15; @%p2 add.u32 %r3, %r3, 1000;
D:	mul.wide.u32 %d2, %r1, 4; add.u64 %d3, %d1, %d2; st.global.u32 [%d3], %r3; ret; }
`, `{"version": 1, "name": "b", "buffers": {"y": {"bytes": 128, "type": "u32", "init": "zero"}},
"launches": [{"module": "k.ptx", "kernel": "k", "grid": [1], "block": [32], "args": [{"buffer": "y"}]}], "outputs": ["y"]}`}

// TestOutside: a lane that its own member mask does not name is a fault, and with
// Lenient a member, with a warning and a decision that is undefined.
func TestOutside(t *testing.T) {
	if _, err := outsideProgram.session(t, Full).Run(t.Context()); err == nil || !strings.Contains(err.Error(), "does not name the executing lane 1") {
		t.Fatalf("error %v", err)
	}
	for _, mode := range []Mode{Control, Full} {
		s := outsideProgram.session(t, mode)
		var heard parser.ErrorList
		s.Options.Lenient = func(list parser.ErrorList) { heard = append(heard, list...) }
		p, err := s.Profile(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(heard) != 1 || heard[0].Pos.Line != 7 || !strings.Contains(heard[0].Msg, "its member mask does not name") {
			t.Errorf("%v: warnings %v", mode, heard)
		}
		if got := p.Rows[0].Exactness; got != "undefined" {
			t.Errorf("%v: the launch is %s", mode, got)
		}
	}
	s := outsideProgram.session(t, Full)
	s.Options.Lenient = func(parser.ErrorList) {}
	outputs, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for lane := range uint32(32) {
		want := uint32(99)
		if lane%2 == 1 {
			if want = lane ^ 2; want > 15 {
				want += 1000
			}
		}
		if got := binary.LittleEndian.Uint32(outputs[0].Data[4*lane:]); got != want {
			t.Errorf("lane %d has %d, want %d", lane, got, want)
		}
	}
}

// carryProgram: chains that mix additions and subtractions, and one that does not.
var carryProgram = program{`.version 7.0
.target sm_70
.address_size 64
.entry k(.param .u64 y) { .reg .u64 %d; .reg .u32 %r<9>; ld.param.u64 %d, [y];
	add.cc.u32 %r1, 0xffffffff, 1; subc.u32 %r2, 10, 3; st.global.u32 [%d], %r2;
	add.cc.u32 %r1, 1, 1; subc.u32 %r2, 10, 3; st.global.u32 [%d+4], %r2;
	sub.cc.u32 %r1, 1, 2; addc.u32 %r2, 10, 3; st.global.u32 [%d+8], %r2;
	sub.cc.u32 %r1, 2, 1; addc.u32 %r2, 10, 3; st.global.u32 [%d+12], %r2;
	sub.cc.u32 %r1, 1, 2; subc.cc.u32 %r2, 0, 0; subc.u32 %r3, 10, 3; st.global.u32 [%d+16], %r3;
	ret; }
`, `{"version": 1, "name": "b", "buffers": {"y": {"bytes": 20, "type": "u32", "init": "zero"}},
"launches": [{"module": "k.ptx", "kernel": "k", "grid": [1], "block": [1], "args": [{"buffer": "y"}]}], "outputs": ["y"]}`}

// TestInvertedBorrow: by the manual CC.CF is the borrow; with the option its inverse,
// which chains of subtractions alone do not see.
func TestInvertedBorrow(t *testing.T) {
	for inverted, want := range map[bool][5]uint32{
		false: {6, 7, 14, 13, 6},
		true:  {7, 6, 13, 14, 6},
	} {
		opts := DefaultOptions()
		opts.Mode, opts.InvertedBorrow = Full, inverted
		s, err := OpenManifest(carryProgram.source(t, t.TempDir()), opts)
		if err != nil {
			t.Fatal(err)
		}
		outputs, err := s.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range want {
			if got := binary.LittleEndian.Uint32(outputs[0].Data[4*i:]); got != w {
				t.Errorf("inverted %v: chain %d gives %d, want %d", inverted, i, got, w)
			}
		}
	}
}
