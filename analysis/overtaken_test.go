package analysis

import (
	"strings"
	"testing"
)

// TestOvertakenThenDecided: what one CTA reads and stores is another value where a store
// that nothing puts in order with the read comes first; a later launch that decides on it
// depends on that order, whichever of the two CTAs came first here.
func TestOvertakenThenDecided(t *testing.T) {
	const text = `.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 out) {
  .reg .pred r, p; .reg .b32 x, t, c; .reg .b64 o;
  ld.param.u64 o, [out]; mov.u32 t, %tid.x; mov.u32 c, %ctaid.x;
  setp.ne.u32 p, t, 0; @p exit;
  setp.eq.u32 r, c, READER;
  @!r st.global.u32 [o+STORE], 1;
  @r ld.global.u32 x, [o];
  @r st.global.u32 [o+64], x;
  ret;
}
.visible .entry decide(.param .u64 out) {
  .reg .pred p; .reg .b32 x; .reg .b64 o;
  ld.param.u64 o, [out];
  ld.global.u32 x, [o+64];
  setp.eq.u32 p, x, 1; @p exit;
  add.u32 x, x, 1;
  ret;
}
`
	for _, c := range []struct{ reader, store, want string }{
		{"0", "0", "scheduled"}, {"1", "0", "scheduled"}, // the read is overtaken; it comes behind
		{"0", "4", "exact"}, {"1", "4", "exact"}, // of another word
	} {
		for _, mode := range []Mode{Control, Memory, Full} {
			s, err := openMode(t, mode, strings.NewReplacer("READER", c.reader, "STORE", c.store).Replace(text),
				`{"version": 1, "buffers": {"out": {"type": "u32", "bytes": 512, "init": "zero"}}, "launches": [
				{"module": "k.ptx", "kernel": "k", "grid": [2], "block": [32], "args": [{"buffer": "out"}]},
				{"module": "k.ptx", "kernel": "decide", "grid": [1], "block": [32], "args": [{"buffer": "out"}]}]}`)
			if err != nil {
				t.Fatal(err)
			}
			p, err := s.Profile(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got := string(p.Rows[1].Exactness); got != c.want {
				t.Errorf("CTA %s reads, mode %s: the launch that decides is %s, want %s", c.reader, mode, got, c.want)
			}
		}
	}
}
