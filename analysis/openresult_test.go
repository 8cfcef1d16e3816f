package analysis

import (
	"strings"
	"testing"
)

// TestOpenResults: what the manual leaves open of these very values makes a decision on it
// undefined, and nothing beside it: which of equal elements, or of NaN, spcompress keeps; the
// bytes that a copy may miss; a halo that goes beyond the row.
func TestOpenResults(t *testing.T) {
	const compress = "\tmov.b32 y, 0x01020301;\n\tspcompress.b8.b2.sp::2:4.x1 {x}, {y}, {y, z}, f;\n"
	const whole = "\tmov.b32 z, KEPT;\n\tmov.b32 f, INDEX;\n\tspdecompress.b8.b2.sp::2:4.x2 {x, y}, {f}, {z};\n"
	const bulk = "\tcp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob [s], [i], 32, 4, 2, [b];\n"
	const column = "\tmov.b16 h, HALO;\n\tmov.b16 g, 0;\n" +
		"\tcp.async.bulk.tensor.3d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes [s], [m, {0, 0, 0}], [b], {h, g};\n"
	const wait = "\tmbarrier.arrive.expect_tx.shared.b64 m, [b], BYTES;\nW:\tmbarrier.try_wait.parity.shared.b64 q, [b], 0;\n\t@!q bra W;\n"
	load := func(at, bytes string) string {
		return strings.Replace(wait, "BYTES", bytes, 1) + "\tld.shared.u32 x, [s+" + at + "];\n"
	}
	const negative = "\tst.global.b32 [i], 0x80000000;\n\tfence.proxy.async;\n"
	const given = "\tadd.u64 i, o, 64;\n"
	look := func(pattern string) string { // x is whether the copy has reported
		return "\tcp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.mbarrier::report::validity::" + pattern + " [s], [i], 32, [b];\n" +
			strings.NewReplacer("BYTES", "32", "parity.", "parity.phase_type::primary.", "b64 q,", "b64 q|p,").Replace(wait) + "\tselp.u32 x, 1, 0, p;\n"
	}
	halo := func(n string) string { return strings.Replace(column, "HALO", n, 1) }
	decompress := func(kept, index string) string {
		return strings.NewReplacer("KEPT", kept, "INDEX", index).Replace(whole)
	}
	for _, c := range []struct{ name, body, want string }{
		{"all differ that count", "\tmov.b32 z, 0x04030201;\n\tmov.b32 f, 4;\n" + compress, "exact"},
		{"two of three equal ones", "\tmov.b32 z, 0x02020201;\n\tmov.b32 f, 4;\n" + compress, "undefined"},
		{"equal magnitudes", "\tmov.b32 z, 0x0102fe03;\n\tmov.b32 f, 5;\n" + compress, "undefined"},
		{"NaN", "\tmov.b32 z, 0x7f010203;\n\tmov.b32 f, 8;\n" + compress, "undefined"},
		{"places", decompress("0x44332211", "0x8d"), "exact"},
		{"one place twice", decompress("0x44332211", "0x85"), "undefined"},
		{"a byte that may be missing on the left", bulk + load("0", "32"), "undefined"},
		{"beside them", bulk + load("4", "32"), "exact"},
		{"a byte that may be missing on the right", bulk + load("28", "32"), "undefined"},
		{"a report of every byte", look("per_element::ff"), "exact"},
		{"a report of 16 bytes that are alike", look("per_16bytes::8"), "exact"},
		{"a report of 16 bytes, of which some are -0", negative + look("per_16bytes::80000000"), "undefined"},
		{"a report of what nobody gave", given + look("per_element::ff"), "assumed"},
		{"a halo within the row", halo("1") + load("32", "48"), "exact"},
		{"a halo beyond the row", halo("2") + load("48", "64"), "undefined"},
		{"before it", halo("2") + load("32", "64"), "exact"},
	} {
		expectExactness(t, c.name, strings.Replace(openKernel, "BODY", c.body, 1), openManifest, c.want)
	}
}

// TestOpenRemainders: what remains of numbers of two signs depends on how a machine rounds
// quotients, as the manual says; a division that leaves nothing, or of two negative numbers,
// leaves the same on all.
func TestOpenRemainders(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"negative by positive", "rem.s32 x, y, 4;", "undefined"},
		{"positive by negative", "neg.s32 z, y; rem.s32 x, z, -4;", "undefined"},
		{"both negative", "rem.s32 x, y, -4;", "exact"},
		{"both positive", "neg.s32 z, y; rem.s32 x, z, 4;", "exact"},
		{"nothing remains", "rem.s32 x, y, 7;", "exact"},
		{"not signed", "rem.u32 x, y, 4;", "exact"},
		{"the quotient", "div.s32 x, y, 4;", "exact"},
		{"16 bits", "cvt.u16.u32 h, y; rem.s16 g, h, 4; cvt.u32.u16 x, g;", "undefined"},
		{"64 bits", "cvt.s64.s32 i, y; rem.s64 i, i, 4; cvt.u32.u64 x, i;", "undefined"},
		{"64 bits, both negative", "cvt.s64.s32 i, y; rem.s64 i, i, -4; cvt.u32.u64 x, i;", "exact"},
		{"of constants", "mov.u32 y, -7; rem.s32 x, y, 4;", "undefined"},
		{"of constants, both negative", "mov.u32 y, -7; rem.s32 x, y, -4;", "exact"},
	} {
		body := "ld.global.u32 z, [i]; mul.lo.s32 y, z, -7;\n" + c.body + "\n"
		expectExactness(t, c.name, strings.Replace(openKernel, "BODY", body, 1), openManifest, c.want)
	}
}

// TestOpenNaNs: which NaN comes of one that is negated or made positive is open, as the manual
// says, and of a bf16 that is widened. Who reads it as a number does not ask which it is, be it
// from memory.
func TestOpenNaNs(t *testing.T) {
	const bits, number = " and.b32 x, x, 255;", " setp.lt.f32 p, x, 0f00000000; selp.u32 x, 1, 0, p;"
	for _, c := range []struct{ name, body, want string }{
		{"bits of a NaN", "neg.f32 x, y;" + bits, "undefined"},
		{"bits of a number", "neg.f32 x, z;" + bits, "exact"},
		{"a comparison", "neg.f32 x, y;" + number, "exact"},
		{"bits of a sum", "abs.f32 x, y; add.f32 x, x, z;" + bits, "exact"},
		{"bits, moved", "abs.f32 x, y; mov.b32 b, x; selp.b32 x, b, f, p;" + bits, "undefined"},
		{"a comparison, moved", "abs.f32 x, y; mov.b32 b, x; selp.b32 x, b, b, p;" + number, "exact"},
		{"bits, from memory", "abs.f32 x, y; st.global.b32 [o+64], x; ld.global.b32 x, [o+64];" + bits, "undefined"},
		{"a comparison, from memory", "abs.f32 x, y; st.global.b32 [o+64], x; ld.global.b32 x, [o+64];" + number, "exact"},
		{"bits of a double", "mov.b64 m, {f, y}; neg.f64 m, m; mov.b64 {x, b}, m;" + bits, "undefined"},
		{"bits of a positive double, which is passed through", "mov.b64 m, {f, y}; abs.f64 m, m; mov.b64 {x, b}, m;" + bits, "exact"},
		{"bits of a double's sum", "mov.b64 m, {f, y}; neg.f64 m, m; add.f64 m, m, m; mov.b64 {x, b}, m;" + bits, "undefined"},
		{"bits of halves", "mov.b32 x, 0x7e003c00; neg.f16x2 x, x;" + bits, "undefined"},
		{"bits of halves that are numbers", "mov.b32 x, 0x40003c00; neg.f16x2 x, x;" + bits, "exact"},
		{"bits of a widened bf16", "mov.b16 h, 0x7fc1; cvt.f32.bf16 x, h;" + bits, "undefined"},
		{"bits of a widened half", "mov.b16 h, 0x7e01; cvt.f32.f16 x, h;" + bits, "exact"},
	} {
		body := "ld.global.u32 z, [i]; mul.lo.u32 y, z, 0x7ff80001; setp.ne.u32 p, z, 0;\n" + c.body + "\n"
		expectExactness(t, c.name, strings.Replace(openKernel, "BODY", body, 1), openManifest, c.want)
	}
}

// openKernel stores x, on which the second launch decides. The map has rows of three pixels, of
// which two are copied.
const (
	openKernel = `.version 9.4
.target sm_107a
.address_size 64
.entry k(.param .u64 in, .param .u64 out, .param .align 64 .b8 map[128])
{
	.reg .b16 g, h;
	.reg .b32 b, f, s, x, y, z;
	.reg .b64 i, m, o;
	.reg .pred p, q;
	.shared .align 128 .b32 sh[64];
	.shared .align 8 .b64 mb;
	ld.param.u64 i, [in];
	ld.param.u64 o, [out];
	mov.b64 m, map;
	cvta.param.u64 m, m;
	mov.u32 s, sh;
	mov.u32 b, mb;
	mbarrier.init.layout::v1.shared.b64 [b], 1;
	mov.u32 f, 0;
BODY	st.global.u32 [o], x;
	ret;
}
.entry d(.param .u64 out)
{
	.reg .b32 x;
	.reg .b64 o;
	.reg .pred q;
	ld.param.u64 o, [out];
	ld.global.u32 x, [o];
	setp.eq.u32 q, x, 7;
	@q bra E;
	st.global.u32 [o+32], x;
E:
	ret;
}
`
	openManifest = `{"version": 1, "buffers": {"in": {"type": "u32", "bytes": 1024, "init": {"fill": 1}}, "out": {"type": "u32", "bytes": 256}},
	"tensorMaps": {"map": {"buffer": "in", "type": "u32", "dims": [4, 3, 2], "stridesBytes": [16, 48], "elementStrides": [1, 1, 1],
		"im2col": {"lower": [0], "upper": [0], "channels": 4, "pixels": 2}}},
	"launches": [{"module": "k.ptx", "kernel": "k", "grid": [1], "block": [1],
		"args": [{"buffer": "in"}, {"buffer": "out"}, {"tensorMap": "map"}]},
		{"module": "k.ptx", "kernel": "d", "grid": [1], "block": [1], "args": [{"buffer": "out"}]}]}`
)
