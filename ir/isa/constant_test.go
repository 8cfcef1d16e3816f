package isa

import "testing"

// TestConstants: an operand takes the numbers that the manual names, and no others.
func TestConstants(t *testing.T) {
	for _, c := range []struct {
		opcode, operand string
		right, wrong    []int64
	}{
		{"cp.async.ca.shared.global", "size", []int64{4, 8, 16}, []int64{-16, 0, 2, 12, 32, 256}},
		{"cp.async.cg.shared.global", "size", []int64{16}, []int64{0, 4, 8, 32}},
		{"discard.global.L2", "size", []int64{128}, []int64{0, 64}},
		{"st.bulk.weak.shared::cta", "value", []int64{0}, []int64{-1, 1}},
		{"setmaxnreg.inc.sync.aligned.u32", "n", []int64{24, 40, 256}, []int64{-8, 0, 16, 25, 264}},
		{"mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", "f", []int64{0, 3}, []int64{-1, 4}},
		{"lop3.b32", "immLut", []int64{0, 255}, []int64{-1, 256}},
		{"pmevent", "a", []int64{0, 15}, []int64{-1, 16}},
		{"pmevent.mask", "a", []int64{0, 65535}, []int64{-1, 65536}},
		{"cp.async.wait_group", "n", []int64{0, 8}, []int64{-1}},
		{"cp.async.bulk.wait_group", "n", []int64{0, 8}, []int64{-1}},
		{"wgmma.wait_group.sync.aligned", "n", []int64{0, 7}, []int64{-1}},
		{"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16", "scaleA", []int64{-1, 1}, []int64{0, 2}},
		{"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16", "scaleB", []int64{-1, 1}, []int64{-2, 0}},
		{"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16", "transB", []int64{0, 1}, []int64{-1, 2}},
		{"wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16", "scaleA", []int64{-1, 1}, []int64{0}},
		{"wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16", "transA", []int64{0, 1}, []int64{2}},
		{"bar.sync", "a", []int64{0, 15}, []int64{-1, 16}},
		{"bar.sync", "b", []int64{32, 1024}, []int64{0, 31, 33}},
		{"barrier.cta.arrive.aligned", "a", []int64{0, 15}, []int64{16}},
		{"barrier.cta.arrive.aligned", "b", []int64{64}, []int64{0, 100}},
		{"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes", "size", []int64{0, 16, 1 << 20}, []int64{-16, 17}},
		{"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32", "size", []int64{32}, []int64{4}},
		{"cp.async.bulk.prefetch.L2.global", "size", []int64{32}, []int64{8}},
		{"multimem.cp.async.bulk.global.shared::cta.bulk_group", "size", []int64{32}, []int64{8}},
		{"multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32", "size", []int64{32}, []int64{8}},
		{"tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32", "columns", []int64{32, 512}, []int64{0, 33, 96, 544}},
		{"tcgen05.dealloc.cta_group::1.sync.aligned.b32", "columns", []int64{64}, []int64{16}},
		{"tcgen05.alloc.exclusive.cta_group::1.sync.aligned.shared::cta.b32", "columns", []int64{96, 576}, nil},
	} {
		x := decode(t, c.opcode)
		s := (*OperandSpec)(nil)
		for i := range x.Form.Operands {
			if x.Form.Operands[i].Name == c.operand {
				s = &x.Form.Operands[i]
			}
		}
		if s == nil {
			t.Fatalf("%s has no operand %s", c.opcode, c.operand)
		}
		for _, v := range c.right {
			if err := x.CheckConstant(s, v); err != nil {
				t.Errorf("%s, %s %d: %v", c.opcode, c.operand, v, err)
			}
		}
		for _, v := range c.wrong {
			if x.CheckConstant(s, v) == nil {
				t.Errorf("%s, %s %d passes", c.opcode, c.operand, v)
			}
		}
	}
	for _, c := range allowedConstants {
		if c.list == nil && c.step == 0 || c.op.String() == "" {
			t.Errorf("%v says nothing", c)
		}
	}
}
