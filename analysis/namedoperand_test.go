package analysis

import (
	"strings"
	"testing"

	"hyptx/internal/number"
)

// TestNamedOperands: each address of a copy that goes on by itself may name a variable of its
// own space, and means what a register with the variable's address does.
func TestNamedOperands(t *testing.T) {
	for _, body := range []string{
		"\tcp.async.bulk.global.shared::cta.bulk_group [g], [sh], 16;\n",
		"\tcp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [g], [sh], 16;\n",
		"\tcp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [m, {z}], [sh];\n",
		"\tcp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [m, {z}], [sh];\n",
		"\tmbarrier.arrive.expect_tx.shared.b64 s, [mb], 16;\n\tcp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [sh], [g], 16, [mb];\n",
		"\tmbarrier.arrive.expect_tx.shared.b64 s, [mb], 16;\n\tcp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [sh], [m, {z}], [mb];\n",
		"\tcp.async.ca.shared.global [sh], [g], 16;\n",
	} {
		names := strings.NewReplacer("[sh]", "[y]", "[mb]", "[b]", "[g]", "[gg]")
		if !strings.Contains(body, ".tensor") {
			body += "\tcp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;\n"
		}
		var issued [2]number.Int
		for i, text := range []string{body, names.Replace(body)} {
			s, err := openMode(t, Full, strings.Replace(namedKernel, "BODY", text, 1), namedManifest)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			p, err := s.Profile(t.Context())
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			issued[i] = p.Rows[0].WarpInstructions
		}
		if issued[0] != issued[1] {
			t.Errorf("%s: %v instructions, by registers %v", body, issued[0], issued[1])
		}
	}
	for body, want := range map[string]string{
		"\tcp.async.bulk.global.shared::cta.bulk_group [sh], [sh], 16;\n":                           "accesses .global, sh lies in .shared",
		"\tcp.async.bulk.global.shared::cta.bulk_group [g], [g], 16;\n":                             "g lies in .global",
		"\tcp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [m, {z}], [g];\n":             "g lies in .global",
		"\tcp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [sh], [g], 16, [g];\n": "g lies in .global",
	} {
		if _, err := openMode(t, Full, strings.Replace(namedKernel, "BODY", body, 1), namedManifest); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %s", body, err, want)
		}
	}
}

// namedKernel runs more, by what BODY has left in the variables g and sh and in the buffer.
const (
	namedKernel = `.version 8.6
.target sm_90
.address_size 64
.global .align 16 .b32 g[4] = {5, 5, 5, 5};
.entry k(.param .u64 out, .param .align 64 .b8 map[128])
{
	.reg .b32 b, x, y, z;
	.reg .b64 o, s, m, gg;
	.reg .pred q;
	.shared .align 128 .b32 sh[4];
	.shared .align 8 .b64 mb;
	ld.param.u64 o, [out];
	mov.b64 m, map;
	cvta.param.u64 m, m;
	mov.u64 gg, g;
	mov.u32 y, sh;
	mov.u32 b, mb;
	mov.u32 z, 0;
	mbarrier.init.shared.b64 [mb], 1;
	st.shared.v4.b32 [sh], {7, 7, 7, 7};
BODY	ld.shared.u32 x, [sh+4];
	ld.global.u32 z, [g+4];
	mad.lo.u32 x, z, 16, x;
	ld.global.u32 z, [o+4];
	mad.lo.u32 x, z, 256, x;
L:
	sub.u32 x, x, 1;
	setp.ne.u32 q, x, 0;
	@q bra L;
	ret;
}
`
	namedManifest = `{"version": 1, "buffers": {"out": {"type": "u32", "bytes": 256, "init": {"fill": 1}}},
	"tensorMaps": {"map": {"buffer": "out", "type": "u32", "dims": [4], "stridesBytes": [], "box": [4], "elementStrides": [1]}},
	"launches": [{"module": "k.ptx", "kernel": "k", "grid": [1], "block": [1], "args": [{"buffer": "out"}, {"tensorMap": "map"}]}]}`
)
