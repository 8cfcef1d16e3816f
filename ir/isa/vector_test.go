package isa

import "testing"

// TestElements: how many elements each operand has, read off the manual's tables.
func TestElements(t *testing.T) {
	for _, c := range []struct {
		opcode string
		want   []int // of each operand, its parts in its place
	}{
		{"tex.1d.v4.f32.s32", []int{4, 1, 1, 1, -1, 1}},
		{"tex.a2d.v4.u32.f32", []int{4, 1, 1, 4, -1, 1}},
		{"tex.level.2d.v2.f16x2.f32", []int{2, 1, 1, 2, 1, -1, 1}},
		{"suld.b.3d.v2.b32.trap", []int{2, 1, 4}},
		{"sust.b.a1d.b64.zero", []int{1, 2, 0}},
		{"cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes", []int{0, 1, 0, 3, 2, 0, 3, 0, 1, 0, 0}},
		{"cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes", []int{0, 1, 0, 5, 4, 0, 5, 0, -1, 0, 0}},
		{"cp.async.bulk.tensor.5d.global.shared::cta.bulk_group", []int{1, 0, 5, 4, 0, 5, 0, 0}},
		{"wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16", []int{128, 4, 0, 0, 0, 0, 0, 0}},
		{"wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16", []int{2, 4, 0, 0, 0, 0, 0, 0}},
		{"wgmma.mma_async.sp.sync.aligned.m64n96k64.s32.u8.s8", []int{48, 4, 0, 0, 0, 0}},
		{"tcgen05.ld.sync.aligned.16x256b.x32.b32", []int{128, 1}},
		{"tcgen05.st.sync.aligned.32x32b.x2.b32", []int{1, 2}},
		{"ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8", []int{4, 0}},
		{"wmma.load.b.sync.aligned.col.m8n32k16.global.bf16", []int{8, 0, 0}},
		{"mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", []int{4, 4, 4, 4, 0, 0}},
	} {
		in := decode(t, c.opcode)
		var got []int
		for i := range in.Form.Operands {
			s := &in.Form.Operands[i]
			if s.Kind != Brackets {
				got = append(got, in.Elements(s))
			} else if s.Parts != nil {
				for k := range s.Parts {
					got = append(got, max(in.Elements(&s.Parts[k]), 0))
				}
				got = got[:len(got)-len(s.Parts)+max(len(s.Parts), 1)]
			}
		}
		if len(got) != len(c.want) {
			t.Errorf("%s: %v, want %v (%s)", c.opcode, got, c.want, in.Form.Syntax)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s: %v, want %v", c.opcode, got, c.want)
				break
			}
		}
	}
}

// TestSelects: which parts of registers video instructions name.
func TestSelects(t *testing.T) {
	words := []string{"b0", "b3", "b4", "h0", "h1", "h2", "h10", "h01", "h32", "b3210", "b7777", "b8210", "b321", "b10", "b01", "x", "b", ""}
	for name, want := range map[string]string{
		"sel": "b0 b3 h0 h1", "sel2": "h10 h01 h32", "sel4": "b3210 b7777", "mask2": "h0 h1 h10", "mask4": "b0 b3 b3210 b321 b10", "none": "",
	} {
		spec, got := OperandSpec{selects: selectors[name]}, ""
		for _, w := range words {
			if w != "" && spec.Selects(w) {
				got += " " + w
			}
		}
		if got = got[min(len(got), 1):]; got != want {
			t.Errorf("%s selects %q, want %q", name, got, want)
		}
	}
}

// TestAnnounced: operands that stand where a modifier says so, and nowhere else.
func TestAnnounced(t *testing.T) {
	for opcode, want := range map[string]int{
		"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes":                                        0,
		"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster":                     1,
		"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster::32b.L2::cache_hint": 2,
		"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob":                                 2,
		"tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64":                 1,
	} {
		in, n := decode(t, opcode), 0
		for i := range in.Form.Operands {
			if s := &in.Form.Operands[i]; s.Optional && in.Needs(s) {
				n++
			}
		}
		if n != want {
			t.Errorf("%s needs %d of its optional operands, want %d", opcode, n, want)
		}
	}
}
