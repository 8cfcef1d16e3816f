package st2

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"hyptx/analysis"
	"hyptx/emulator"
	"hyptx/internal/adder"
)

// rounds sums up 1000 words: a loop whose pointer the machine moves once in eight rounds,
// and an address beyond it that it does not add at all.
const rounds = `.version 7.0
.target sm_70
.address_size 64
.visible .entry rounds(.param .u64 in, .param .u64 out) {
  .reg .pred %p; .reg .b32 %r<8>; .reg .b64 %d<8>; .reg .f32 %f<4>;
  ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out];
  mov.u32 %r1, 0; mov.f32 %f1, 0f00000000;
L:
  ld.global.f32 %f2, [%d1];
  add.f32 %f1, %f1, %f2;
  add.s64 %d1, %d1, 4;
  add.s32 %r1, %r1, 1;
  setp.lt.s32 %p, %r1, 1000;
  @%p bra L;
  add.s64 %d3, %d2, 8;
  st.global.f32 [%d3], %f1;
  ret;
}
`

// TestCode: adders of 32 bits add 64 twice, the upper halves with the carry of the lower
// ones; and of the machine code that is estimated, additions are as many as it makes.
func TestCode(t *testing.T) {
	dir := t.TempDir()
	manifest := `{"version": 1, "buffers": {"in": {"bytes": 4000, "init": "zero"}, "out": {"bytes": 256, "init": "zero"}},
	 "launches": [{"module": "rounds.ptx", "kernel": "rounds", "grid": [1], "block": [32], "args": [{"buffer": "in"}, {"buffer": "out"}]}]}`
	for name, text := range map[string]string{"rounds.ptx": rounds, "rounds.json": manifest} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name string
		by   analysis.Watching
		want []uint64 // additions of a thread: of floating point, the pointer, the counter, the address
	}{
		{"as written", analysis.Watching{Rules: emulator.Adds{On: true}}, []uint64{1000, 1000, 1000, 1}},
		{"halves", analysis.Watching{Rules: emulator.Adds{On: true, IntBits: 32}}, []uint64{1000, 2000, 1000, 2}},
		{"machine", analysis.Watching{Rules: emulator.Adds{On: true, IntBits: 32}, Machine: true}, []uint64{1000, 2 * 1000 / 8, 1000 / 8, 0}},
	} {
		s := watchedBy(t, options(), c.by, 1, false, filepath.Join(dir, "rounds.json"))
		var got []uint64
		for i := range s.Kernels[0].Adds.PCs {
			if p := &s.Kernels[0].Adds.PCs[i]; p.Executions > 0 {
				got = append(got, p.Executions/adder.Lanes)
			}
		}
		if c.want[3] == 0 {
			c.want = c.want[:3]
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %d additions of a thread by instruction, want %d", c.name, got, c.want)
		}
		for i := range s.Kernels[0].Adds.Work[0] {
			if w := s.Kernels[0].Adds.Work[0][i]; adder.Kind(i) == adder.Int64 && w.Adds > 0 && c.by.Rules.IntBits == 32 {
				t.Errorf("%s: %d additions of 64 bits", c.name, w.Adds)
			}
		}
	}
}
