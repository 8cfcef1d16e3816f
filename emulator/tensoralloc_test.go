package emulator

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"hyptx/ir"
	"hyptx/parser"
)

// TestTensorAllocations: how many columns may be allocated beside which others, and how they are
// given back (PTX ISA 9.7.18.7.1, table 58).
func TestTensorAllocations(t *testing.T) {
	alloc := func(mods string, columns int) string {
		return fmt.Sprintf("mov.b32 n, %d; tcgen05.alloc%s.cta_group::1.sync.aligned.shared::cta.b32 [where], n; ld.shared.b32 at, [where];\n", columns, mods)
	}
	free := func(mods string, columns int) string {
		return fmt.Sprintf("tcgen05.dealloc%s.cta_group::1.sync.aligned.b32 at, %d;\n", mods, columns)
	}
	const own = ".exclusive"
	for _, c := range []struct{ target, ops, want string }{
		{"sm_100f", alloc(own, 96) + free(own, 96) + alloc("", 512) + free("", 512), ""},
		{"sm_100f", alloc("", 64) + free("", 64) + alloc(own, 512) + free(own, 512), ""},
		{"sm_107f", alloc(own, 576) + free(own, 576), ""},
		{"sm_107f", alloc("", 512) + alloc("", 64), ""},
		{"sm_100f", alloc(own, 576), "576 columns: a multiple of 32 up to 512"},
		{"sm_107f", alloc(own, 608), "608 columns: a multiple of 32 up to 576"},
		{"sm_107f", alloc(own, 48), "48 columns: a multiple of 32"},
		{"sm_107f", alloc("", 576), "576 columns: a power of two from 32 to 512"},
		{"sm_100f", alloc("", 96), "96 columns: a power of two"},
		{"sm_100f", alloc("", 512) + alloc("", 32), "no 32 columns of tensor memory side by side left"},
		{"sm_100f", alloc("", 32) + alloc(own, 32), "waits for all others to end"},
		{"sm_100f", alloc(own, 32) + alloc("", 32), "waits for all others to end"},
		{"sm_100f", alloc(own, 32) + alloc(own, 32), "waits for all others to end"},
		{"sm_100f", alloc(own, 32) + free("", 32), "deallocated with .exclusive exactly where"},
		{"sm_100f", alloc("", 32) + free(own, 32), "deallocated with .exclusive exactly where"},
		{"sm_100f", alloc(own, 96) + free(own, 64), "64 columns from 0x0 on are no allocation"},
	} {
		text := fmt.Sprintf(".version 9.4\n.target %s\n.address_size 64\n.entry k()\n{\n.shared .b32 where; .reg .b32 at, n;\n%s\nret;\n}\n", c.target, c.ops)
		if err := runAlone(text); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %s: %v, want %q", c.target, c.ops, err, c.want)
		}
	}
}

// TestProductDescriptors: an instruction descriptor with what the kind has not, or with what the
// manual shows in figures alone, ends the launch (PTX ISA tables 48, 51 to 53, 62).
func TestProductDescriptors(t *testing.T) {
	const (
		n16, m128, m64 = 2 << 17, 8 << 24, 4 << 24
		f32, s32       = 1 << 4, 2 << 4
		tiny, deep, mx = 3<<7 | 3<<10, 1 << 29, 2<<17 | 1<<23 | 1<<27
		nv, mxDeep     = 2<<17 | 1<<27 | 1<<7 | 1<<10, 1 << 31
	)
	plain := "[at], d, d, w, never;"
	scaled := "[at], d, d, w, [at+64], [at+96], never;"
	table := "[at], d, d, [at+128], w, never;"
	for _, c := range []struct {
		kind, operands string
		idesc          uint32
		want           string
	}{
		{"f8f6f4", plain, f32 | n16 | m128 | deep, ""},
		{"f8f6f4", plain, f32 | n16 | m64 | deep, "a size that the kind has not at a depth of 64"},
		{"f8f6f4", plain, f32 | n16 | m128 | deep | 3<<7, "fewer than 8 bits"},
		{"f16", plain, f32 | n16 | m128 | deep, "bits that are zero in this kind are not"},
		{"f16", plain, f32 | n16 | m128 | 1<<6, "bits that are zero in this kind are not"},
		{"f16", plain, f32 | n16 | m128 | 1<<23, "bits that are zero in this kind are not"},
		{"f16", plain, f32 | n16 | m128 | 1<<30, "bits that are zero in this kind are not"},
		{"f16", plain, f32 | n16 | m128 | 1<<3, "saturates"},
		{"ti16", plain, s32 | n16 | m128 | tiny, ""},
		{"ti16", plain, s32 | 1<<17 | m128 | tiny, "size that the kind has not"},
		{"ti16", plain, s32 | n16 | m128, "types that the kind has not"},
		{"ti16", plain, s32 | n16 | m128 | tiny | 1<<15, "tables 51 and 62"},
		{"ti16", plain, s32 | n16 | m128 | tiny | 1<<3, "saturates"},
		{"mxf8f6f4.block_scale", scaled, mx, ""},
		{"mxf8f6f4.block_scale", scaled, mx | mxDeep, ""},
		{"mxf8f6f4.block_scale", scaled, mx | mxDeep | 1<<29, "scales that the kind has not"},
		{"mxf8f6f4.block_scale", scaled, mx | 1<<26, "figures alone"},
		{"mxf8f6f4.block_scale", scaled, mx | 1, "bits that are zero in this kind are not"},
		{"mxf4nvf4.block_scale.block16", scaled, nv, ""},
		{"mxf4nvf4.block_scale.block16", scaled, nv | 1<<24, "figures alone"},
		{"mxf4nvf4.block_scale.block16", scaled, nv | 1<<3, "figures alone"},
		{"f8f6f4.decompress::lut::b", table, f32 | n16 | m128 | deep, ""},
		{"f8f6f4.decompress::lut::b", table, f32 | n16 | m128, "has 64 rows"},
		{"f8f6f4.decompress::lut::b", table, f32 | n16 | m128 | deep | 1<<10, "is e4m3"},
		{"f8f6f4.decompress::lut::b", table, f32 | n16 | m128 | deep | 1<<16, "not transposed"},
		{"f8f6f4.decompress::lut::b", strings.Replace(table, "128", "129", 1), f32 | n16 | m128 | deep, "an even column"},
	} {
		// A and B are the same zeros of shared memory.
		text := fmt.Sprintf(`.version 9.4
.target sm_107f
.address_size 64
.entry k()
{
.shared .align 1024 .b8 zeros[32768]; .shared .b32 where; .reg .b32 at, w, s; .reg .b64 d; .reg .pred never, one;
tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [where], 256; ld.shared.b32 at, [where];
mov.u32 s, zeros; shr.u32 s, s, 4; or.b32 s, s, 0x400000; mov.u32 w, 0x4010; mov.b64 d, {s, w};
mov.u32 w, %d; setp.ne.u32 never, w, w; mov.u32 s, %%laneid; setp.eq.u32 one, s, 0;
@one tcgen05.mma.cta_group::1.kind::%s %s
ret;
}
`, c.idesc, c.kind, c.operands)
		if err := runAlone(text); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s, descriptor %#x: %v, want %q", c.kind, c.idesc, err, c.want)
		}
	}
}

// runAlone runs a module's kernel without parameters, with one warp.
func runAlone(text string) error {
	src, err := parser.Parse("alone.ptx", []byte(text))
	if err != nil {
		return err
	}
	mod, err := ir.Lower(src)
	if err != nil {
		return err
	}
	m := NewMachine(1 << 24)
	if err := m.Load(mod); err != nil {
		return err
	}
	prog, err := m.Compile(context.Background(), mod.Kernels()[0], Options{})
	if err != nil {
		return err
	}
	_, err = m.Launch(context.Background(), prog, LaunchConfig{Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}, Workers: 1, MaxInstructions: 1 << 20})
	return err
}
