package st2

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// forms are one of each kind of instruction that adds.
const forms = `.version 7.0
.target sm_70
.address_size 64
.visible .entry forms(.param .u64 out) {
  .reg .pred %p; .reg .b16 %h<4>; .reg .b32 %r<20>; .reg .b64 %d<12>; .reg .f32 %f<8>; .reg .f64 %g<4>; .reg .b16 %x<4>;
  mov.u32 %r1, 255; mov.u32 %r2, -2; mov.u64 %d1, 4294967295; mov.b16 %h1, 255;
  add.s32 %r3, %r1, 1;
  sub.s32 %r4, %r1, 256;
  mad.lo.s32 %r5, %r1, %r2, 7;
  mad.hi.s32 %r6, %r1, %r2, 7;
  mad.wide.s32 %d2, %r1, %r2, %d1;
  add.s64 %d3, %d1, 1;
  sub.s64 %d4, %d1, %d3;
  add.s16 %h2, %h1, 1;
  add.cc.u32 %r7, %r2, 2;
  addc.u32 %r8, %r1, 0;
  sub.cc.u32 %r9, %r1, %r2;
  subc.u32 %r10, %r1, 5;
  mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f3F000000;
  add.f32 %f3, %f1, %f2;
  sub.f32 %f4, %f1, %f2;
  fma.rn.f32 %f5, %f1, %f2, %f1;
  mov.f64 %g1, 0d3FF0000000000000;
  add.f64 %g2, %g1, %g1;
  mov.b16 %x1, 0x3c00;
  add.f16 %x2, %x1, %x1;
  setp.lt.s32 %p, %r1, %r2;
  mul.lo.s32 %r11, %r1, %r2;
  ret;
}
`

// TestForms: what instructions bring to the adder, by what it gives: two's complement,
// products, carries of CC.CF, significands.
func TestForms(t *testing.T) {
	dir := t.TempDir()
	manifest := `{"version": 1, "buffers": {"out": {"bytes": 256, "init": "zero"}},
	 "launches": [{"module": "forms.ptx", "kernel": "forms", "grid": [1], "block": [32], "args": [{"buffer": "out"}]}]}`
	for name, text := range map[string]string{"forms.ptx": forms, "forms.json": manifest} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := watched(t, options(), 1, false, filepath.Join(dir, "forms.json"))
	want := []string{
		"int32 256", "int32 -1", "int32 -503", "int32 6", fmt.Sprint("int64 ", 4294967295-510), "int64 4294967296", "int64 -1", "int16 256",
		"int32 0", "int32 256", "int32 257", "int32 249",
		"fp32 12582912", fmt.Sprint("fp32 ", 1<<23+1<<24-1<<22), "fp32 12582912",
		fmt.Sprint("fp64 ", 1<<53), "fp16 2048",
	}
	rows := s.Values()
	if len(rows) != len(want) {
		t.Fatalf("%d additions, want %d: %v", len(rows), len(want), rows)
	}
	for i, r := range rows {
		if got := fmt.Sprint(r.Type, " ", r.Result); got != want[i] || r.Time != uint64(i) || r.Thread != 5 {
			t.Errorf("addition %d of thread %d: %s, want %s", r.Time, r.Thread, got, want[i])
		}
	}
}
