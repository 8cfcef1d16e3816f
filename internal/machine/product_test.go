package machine

import (
	"strings"
	"testing"

	"hyptx/internal/pipe"
)

// TestProducts: what tensor cores multiply, add up in and how many, by the instruction.
func TestProducts(t *testing.T) {
	for _, c := range []struct {
		sm      int
		inst    string
		want    pipe.Product
		mulAdds uint64
	}{
		{80, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r5,%r6}, {%f1,%f2,%f3,%f4};", pipe.Product{Factors: pipe.MatrixFP16, Sum32: true, Sync: true}, 2048},
		{80, "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r7,%r8}, {%r1,%r2,%r3,%r4}, {%r5,%r6}, {%r7,%r8};", pipe.Product{Factors: pipe.MatrixFP16, Sync: true}, 2048},
		{80, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r5,%r6}, {%f1,%f2,%f3,%f4};", pipe.Product{Factors: pipe.MatrixBF16, Sum32: true, Sync: true}, 2048},
		{80, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r5,%r6}, {%f1,%f2,%f3,%f4};", pipe.Product{Factors: pipe.MatrixTF32, Sync: true}, 1024},
		{80, "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r7,%r8,%r9,%r10}, {%r1,%r2,%r3,%r4}, {%r5,%r6}, {%r7,%r8,%r9,%r10};", pipe.Product{Factors: pipe.MatrixInt8, Sync: true}, 4096},
		{80, "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r5,%r6,%r7,%r8}, {%f1,%f2,%f3,%f4}, %r9, 0x0;", pipe.Product{Factors: pipe.MatrixFP16, Sum32: true, Sync: true}, 2048},
		{70, "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8};", pipe.Product{Factors: pipe.MatrixFP16, Sum32: true, Sync: true}, 4096},
	} {
		f := parseKernel(t, "test.ptx", []byte(strings.Replace(kernel(c.sm, c.inst), ".version 7.0", ".version 7.1", 1)))
		found := false
		for i := range f.Module.Instrs {
			inst := f.Module.Instrs[i].Inst
			if float, integer := inst.TensorOps(); float+integer == 0 {
				continue
			}
			found = true
			if got := ProductOf(inst); got != c.want || MulAdds(inst) != c.mulAdds {
				t.Errorf("%.60s: %+v, %d multiply-adds", c.inst, got, MulAdds(inst))
			}
			if back := pipe.Numbered(c.want.Number()); back != c.want {
				t.Errorf("%+v has the number of %+v", c.want, back)
			}
		}
		if !found {
			t.Errorf("%.60s: no product", c.inst)
		}
	}
}
