package analysis

import (
	"strings"
	"testing"
)

// TestOpaqueObjects: an mbarrier object is opaque, and so is the state that an arrival
// returns. Who decides on their bits, or on an object that is initialised twice, decides on
// what is undefined, in all modes; who asks as the manual has it does not.
func TestOpaqueObjects(t *testing.T) {
	const (
		init  = "@first mbarrier.init.shared.b64 [y], 32; bar.sync 0;"
		inval = "@first mbarrier.inval.shared.b64 [y]; bar.sync 0;"
		come  = "mbarrier.arrive.shared.b64 d1, [y]; bar.sync 0;"
		ask   = "mbarrier.test_wait.parity.shared.b64 p, [y], 0;"
		look  = "ld.shared.u32 x, [y]; setp.eq.u32 p, x, 3;"
	)
	for _, c := range []struct{ name, body, want string }{
		{"asked", init + come + ask, "exact"},
		{"asked by the state", init + come + "mbarrier.test_wait.shared.b64 p, [y], d1;", "exact"},
		{"by a state that was moved", init + come + "mov.b64 d2, d1; selp.b64 d3, d2, d1, first; mbarrier.test_wait.shared.b64 p, [y], d3;", "exact"},
		{"initialised twice", init + init + come + ask, "undefined"},
		{"initialised again", init + inval + init + come + ask, "exact"},
		{"its bits", init + look, "undefined"},
		{"its last byte", init + "ld.shared.u8 x, [y+7]; setp.eq.u32 p, x, 3;", "undefined"},
		{"a vector that ends behind it", init + "ld.shared.v4.u32 {z, x, x1, x2}, [y]; setp.eq.u32 p, z, 3;", "undefined"},
		{"what lies behind it", init + "@first st.shared.u32 [y+8], 3; bar.sync 0; ld.shared.u32 x, [y+8]; setp.eq.u32 p, x, 3;", "exact"},
		{"stored over", init + "@first st.shared.u32 [y], 3; bar.sync 0;" + look, "undefined"},
		{"what it leaves", init + inval + look, "undefined"},
		{"stored behind its end", init + inval + "@first st.shared.u32 [y], 3; bar.sync 0;" + look, "exact"},
		{"a state", init + come + "setp.eq.b64 p, d1, 0;", "undefined"},
		{"half of a state", init + come + "mov.b64 d2, d1; mov.b64 {x, z}, d2; setp.eq.u32 p, x, 3;", "undefined"},
		{"a sum with a state", init + come + "add.u64 d2, d1, 1; setp.eq.b64 p, d2, 0;", "undefined"},
		{"a register that was one", init + come + "mov.b64 d1, 0; setp.eq.b64 p, d1, 0;", "exact"},
		{"the count of a state", init + "mov.u32 x, 3; @first mbarrier.arrive.noComplete.shared.b64 d1, [y], 2; @first mbarrier.pending_count.b64 x, d1; setp.eq.u32 p, x, 32;", "exact"},
		{"a parity that is none", init + "mbarrier.test_wait.parity.shared.b64 p, [y], t;", "undefined"},
	} {
		body := strings.NewReplacer("x, y, z;", "x, y, z, x1, x2;", "mov.u32 y, sh;", "mov.u32 y, sh; add.u32 y, y, 64;", "BODY", c.body).Replace(deciding)
		p := program{body, `{"version": 1, "buffers": {"b": {"bytes": 1024, "init": "zero"}},
			"launches": [{"module": "k.ptx", "kernel": "k", "grid": [1], "block": [32], "args": [{"buffer": "b"}]}]}`}
		for _, mode := range []Mode{Control, Memory, Full} {
			prof := p.profile(t, mode)
			if got := prof.Rows[len(prof.Rows)-1].Exactness; got != c.want {
				t.Errorf("%s, mode %s: %s, want %s", c.name, mode, got, c.want)
			}
		}
	}
}

// TestExternConstants: nobody knows what a constant holds that is defined elsewhere, until
// the manifest says so, byte by byte.
func TestExternConstants(t *testing.T) {
	for _, c := range []struct{ name, declared, symbols, want string }{
		{"defined", ".const .u32 c[4];", "", "exact"},
		{"elsewhere", ".extern .const .u32 c[4];", "", "assumed"},
		{"beside one that is defined", ".extern .const .u32 b[4]; .const .u32 c[4];", "", "exact"},
		{"given", ".extern .const .u32 c[4];", `"symbols": [{"module": "k.ptx", "name": "c", "init": {"values": [1, 2, 3, 4]}}],`, "exact"},
	} {
		ptx := strings.Replace(deciding, ".visible", c.declared+"\n.visible", 1)
		ptx = strings.Replace(ptx, "BODY", "ld.const.u32 x, [c+4]; setp.eq.u32 p, x, 3;", 1)
		p := program{ptx, `{"version": 1, "buffers": {"b": {"bytes": 1024, "init": "zero"}},` + c.symbols + `
			"launches": [{"module": "k.ptx", "kernel": "k", "grid": [1], "block": [32], "args": [{"buffer": "b"}]}]}`}
		for _, mode := range []Mode{Control, Memory, Full} {
			prof := p.profile(t, mode)
			if got := prof.Rows[len(prof.Rows)-1].Exactness; got != c.want {
				t.Errorf("%s, mode %s: %s, want %s", c.name, mode, got, c.want)
			}
		}
	}
}
