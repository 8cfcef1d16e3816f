package ir

import (
	"strings"
	"testing"
)

const decodedPrologue = ".version 9.4\n.target sm_100a\n.address_size 64\n.global .texref tex; .global .surfref surf; .global .samplerref smp;\n" +
	".entry k() {\n.reg .b32 %r<200>; .reg .f32 %f<200>; .reg .b64 %rd<20>; .reg .pred %p<4>; .reg .b16 %h<9>; .reg .b128 %q<3>; .shared .b64 bar; .shared .b8 buf[64];\n"

// TestDecoded: instructions that are read but not executed, as they are written: text,
// what they define and what they use.
func TestDecoded(t *testing.T) {
	for _, c := range []struct{ text, defs, uses string }{
		{"vadd.s32.u32.s32.sat %r0.h1, %r1.b3, %r2.h0, %r3", "[%r0]", "[%r1 %r2 %r3]"},
		{"vmad.u32.s32.s32.shr7 %r0, -%r1, %r2.b0, %r3", "[%r0]", "[%r1 %r2 %r3]"},
		{"vabsdiff4.u32.u32.u32.add %r0.b3210, %r1.b7654, %r2.b3210, %r3", "[%r0]", "[%r1 %r2 %r3]"},
		{"tex.2d.v4.f32.s32 {%f0, %f1, %f2, %f3}|%p1, [tex, {%r1, %r2}]", "[%f0 %f1 %f2 %f3 %p1]", "[%r1 %r2]"},
		{"tex.level.a2d.v4.u32.f32 {%r0, _, _, %r3}, [%rd1, %rd2, {%r1, %f1, %f2, %f2}], %f4", "[%r0 %r3]", "[%rd1 %rd2 %r1 %f1 %f2 %f4]"},
		{"tex.grad.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd1, {%f4, %f5}], {%f6, %f7}, {%f8, %f9}", "[%f0 %f1 %f2 %f3]", "[%rd1 %f4 %f5 %f6 %f7 %f8 %f9]"},
		{"tld4.r.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [tex, smp, {%f4, %f5}]", "[%f0 %f1 %f2 %f3]", "[%f4 %f5]"},
		{"txq.width.b32 %r0, [tex]", "[%r0]", "[]"},
		{"suld.b.1d.v2.b32.trap {%r0, %r1}, [surf, {%r2}]", "[%r0 %r1]", "[%r2]"},
		{"sust.p.2d.v4.b32.trap [surf, {%r0, %r1}], {%r2, %r3, %r4, %r5}", "[]", "[%r0 %r1 %r2 %r3 %r4 %r5]"},
		{"sured.b.add.1d.u32.zero [%rd1, %r2], %r3", "[]", "[%rd1 %r2 %r3]"},
		{"istypep.texref %p1, tex", "[%p1]", "[]"},
		{"wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [%rd1+16], %r9", "[%r0 %r1 %r2 %r3 %r4 %r5 %r6 %r7]", "[%rd1 %r9]"},
		{"mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1}, {%r2, %r3}, {%f0, %f1, %f2, %f3}, %r5, 1",
			"[%f0 %f1 %f2 %f3]", "[%r0 %r1 %r2 %r3 %f0 %f1 %f2 %f3 %r5]"},
		{"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [buf], [%rd1], %r1, [bar]", "[]", "[%rd1 %r1]"},
		{"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [%rd1], [%rd2+64, {%r1, %r2}], [bar], %h1, %rd3",
			"[]", "[%rd1 %rd2 %r1 %r2 %h1 %rd3]"},
		{"cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r1], [%rd2, {%r1, %r2, %r3, %r4}], [%r5], {%h1, %h2}", "[]", "[%r1 %rd2 %r2 %r3 %r4 %r5 %h1 %h2]"},
		{"cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [%rd2, {%r1}], [%r2]", "[]", "[%rd2 %r1 %r2]"},
		{"cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%rd2, {%r1, %r2}]", "[]", "[%rd2 %r1 %r2]"},
		{"multimem.ld_reduce.relaxed.sys.global.add.v4.f32 {%f0, %f1, %f2, %f3}, [%rd1]", "[%f0 %f1 %f2 %f3]", "[%rd1]"},
		{"st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%r1], {%r2, %r3}, [%r4]", "[]", "[%r1 %r2 %r3 %r4]"},
		{"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r1], %r2, [%r3]", "[]", "[%r1 %r2 %r3]"},
		{"clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r0, %r1, %r2, _}, %q1", "[%r0 %r1 %r2]", "[%q1]"},
		{"tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [buf+8], 64", "[]", "[]"},
		{"tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r0, %r1}, [%r2+4]", "[%r0 %r1]", "[%r2]"},
		{"tcgen05.st.sync.aligned.16x32bx2.x1.b32 [%r2], 2, {%r0}", "[]", "[%r2 %r0]"},
		{"tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r2, %p1", "[]", "[%r1 %rd1 %rd2 %r2 %p1]"},
		{"tcgen05.mma.cta_group::1.kind::f16 [%r1], [%r5], %rd2, %r2, {%r6, %r7, %r8, %r9}, %p1, 3", "[]", "[%r1 %r5 %rd2 %r2 %r6 %r7 %r8 %r9 %p1]"},
		{"tcgen05.mma.cta_group::2.kind::mxf4.block_scale.scale_vec::2X [%r1], %rd1, %rd2, %r2, [%r3], [%r4+1], %p1", "[]", "[%r1 %rd1 %rd2 %r2 %r3 %r4 %p1]"},
		{"tcgen05.cp.cta_group::1.128x256b [%r1], %rd1", "[]", "[%r1 %rd1]"},
		{"tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%rd1]", "[]", "[%rd1]"},
		{"cvt.rs.satfinite.e4m3x4.f32 %r0, {%f0, %f1, %f2, %f3}, %r1", "[%r0]", "[%f0 %f1 %f2 %f3 %r1]"},
		{"tensormap.replace.tile.box_dim.global.b1024.b32 [%rd1], 0, %r1", "[]", "[%rd1 %r1]"},
	} {
		m, err := lowerSource(decodedPrologue + c.text + ";\nret;\n}\n")
		if err != nil {
			t.Errorf("%s\n%v", c.text, err)
			continue
		}
		f := m.Func("k")
		in := &f.Instrs()[0]
		if d, u := f.regNames(in.Defs()), f.regNames(in.Uses()); d != c.defs || u != c.uses {
			t.Errorf("%s: defines %s, uses %s; want %s and %s", c.text, d, u, c.defs, c.uses)
		}
		if got := f.Text(in.PC); got != c.text {
			t.Errorf("%s\nis written\n%s", c.text, got)
		}
	}
}

// TestNotDecoded: what is no operand of them.
func TestNotDecoded(t *testing.T) {
	for text, want := range map[string]string{
		"vadd.s32.u32.s32 %r0, %r1.b4, %r2":                                                              "no component .b4",
		"add.s32 %r0, %r1.b0, %r2":                                                                       "no component .b0",
		"add.s32 %r0, -%r1, %r2":                                                                         "negated with -",
		"tex.2d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [tex, {%r1, %r2, %r3}]":                                 "3 elements, 2 are expected",
		"tex.2d.v4.f32.s32 {%f0, %f1}, [tex, {%r1, %r2}]":                                                "2 elements, 4 are expected",
		"tex.2d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [tex]":                                                  "has 1 parts",
		"tcgen05.ld.sync.aligned.32x32b.x4.b32 {%r0, %r1}, [%r2]":                                        "2 elements, 4 are expected",
		"tcgen05.ld.sync.aligned.32x32b.x4.b32 %r0, [%r2]":                                               "vector of 4 elements",
		"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [buf], [%rd1], %r1":           "operands",
		"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [buf], [%rd1], %r1, [bar], 3": "operands",
		"tcgen05.mma.cta_group::1.kind::f16 [%r1], %r3, %rd2, %r2, %p1":                                  ".b64",
		"tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd3, %rd2, %r2, {%r3, %r4, %r5}, %p1":                "3 elements, 4 are expected",
		"tcgen05.mma.cta_group::2.kind::f16 [%r1], %rd3, %rd2, %r2, {%r3, %r4, %r5, %r6}, %p1":           "4 elements, 8 are expected",
		"tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd3, %rd2, %r2, %r3, %p1":                            "is of type .pred, register %r3",
		"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [buf], [%rd1], 24, [bar]":     "24 must be from 0",
		"bar.sync 16":        "16 must be from 0 to 15",
		"bar.sync 0, 33":     "33 must be from 32",
		"bar.sync %r1, 1000": "a multiple of 32",
		"tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [buf+8], 33": "33 must be 32 or 64 or 128 or 256 or 512",
		"wgmma.fence.sync.aligned": "needs target sm_90a",
		"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 %r0, {%r1, %r2}, {%r3}, {%r4, %r5}": "vector of 2 elements",
	} {
		_, err := lowerSource(decodedPrologue + text + ";\nret;\n}\n")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
