package features

import (
	"strings"
	"testing"

	"hyptx/ir/isa"
)

// TestHeader: what a header says, and that a wrong one is refused.
func TestHeader(t *testing.T) {
	const good = `// form: ret{.uni}
// source: hand
// launch: grid 2 block 8 4
// in a: u16 1 -1 0xff | f32 1.5
// in a: f32 2.5*2
// out b: bf16 -0.0 0x1p-133 inf nan ? b:7fc0
// tol: rel 2^-22 abs 0.5
.version 8.0
`
	s, err := Parse("x.ptx", []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "x" || s.Grid != [3]int{2, 1, 1} || s.Block != [3]int{8, 4, 1} || s.Tolerance != (Tolerance{0x1p-22, 0.5}) {
		t.Errorf("%+v", s)
	}
	if n := s.Buffers[0].bytes(); n != 3*2+3*4 {
		t.Errorf("a has %d bytes", n)
	}
	var bits []uint64
	for _, v := range s.Buffers[1].Out {
		bits = append(bits, v.Bits)
	}
	// Sign 8000, the least subnormal 2^-133, infinity 7f80 (IEEE 754, eight bits
	// of exponent).
	for i, want := range []uint64{0x8000, 1, 0x7f80, 0x7fff, 0, 0x7fc0} {
		if bits[i] != want {
			t.Errorf("number %d is %#x, want %#x", i, bits[i], want)
		}
	}
	for _, bad := range []string{
		"form: ret{.uni}", "source: hand", // each alone
		"form: ret{.uni}\nsource: hand\nin a: 1", "form: ret{.uni}\nsource: hand\nin a: u8 256",
		"form: ret{.uni}\nsource: hand\nout a: f16 1.0001", "form: ret{.uni}\nsource: hand\ntol: rel x",
		"form: ret{.uni}\nsource: hand\nlaunch: block 1 2 3 4", "form: ret{.uni}\nsource: hand\nnonsense: 1",
		"form: ret{.uni}\nsource: hand\nin a: u8 1*0", "form: ret{.uni}\nsource: hand\nin a: pred 1",
	} {
		text := "// " + strings.ReplaceAll(bad, "\n", "\n// ") + "\n"
		if _, err := Parse("x.ptx", []byte(text)); err == nil {
			t.Errorf("taken:\n%s", text)
		}
	}
}

// TestRows: a program proves the rows that it names and has, and only these.
func TestRows(t *testing.T) {
	text := "// form: bra{.uni} target:label\n// source: hand\n.version 8.0\n.target sm_90\n.address_size 64\n.entry x() { bra L; L: ret; }\n"
	s, err := Parse("x.ptx", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := s.rows()
	if err != nil || len(rows) != 1 || rows[0].Op != isa.OpBra {
		t.Errorf("%v, %v", rows, err)
	}
	s.Forms = append(s.Forms, "exit")
	if _, err := s.rows(); err == nil {
		t.Error("a form that the program lacks is taken")
	}
}
