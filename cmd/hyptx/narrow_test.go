package main

import (
	"strings"
	"testing"
)

// narrowKernel has 32-bit addresses: of a parameter, of a variable of the module.
const narrowKernel = `.version 2.3
.target sm_20
.address_size 32
.global .u32 table[4] = {5, 6, 7, 8};
.entry k(.param .u32 out, .param .u32 n)
{
	.reg .u32 %r<9>;
	.reg .pred %p;
	mov.u32 %r0, %tid.x;
	ld.param.u32 %r1, [n];
	setp.ge.u32 %p, %r0, %r1;
	@%p exit;
	ld.param.u32 %r2, [out];
	mov.u32 %r3, table;
	and.b32 %r4, %r0, 3;
	mad.lo.u32 %r3, %r4, 4, %r3;
	ld.global.u32 %r5, [%r3];
	mad.lo.u32 %r2, %r0, 4, %r2;
	st.global.u32 [%r2], %r5;
	exit;
}
`

// TestNarrow: modules with 32-bit addresses run, from a manifest and bare; without
// .address_size parameters of 64 bits say that addresses have as many.
func TestNarrow(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", narrowKernel)
	put(t, "m.json", `{"version": 1, "name": "m", "buffers": {"x": {"bytes": 64, "type": "u32"}},
"launches": [{"module": "k.ptx", "kernel": "k", "grid": [1], "block": [32], "args": [{"buffer": "x"}, {"value": 6}]}], "outputs": ["x"]}`)
	r := hyptx("run", "m.json").must(t, exitDone)
	match(t, "outputs", r.out, `5.*6.*7.*8.*5.*6.*0`)
	hyptx("profile", "m.json", "--verify").must(t, exitDone)
	hyptx("profile", "k.ptx", "--arg", "n=6", "--mode", "full").must(t, exitDone)
	wide := strings.NewReplacer(".address_size 32\n", "", ".param .u32 out", ".param .u64 out", ".reg .u32", ".reg .u64 %d; .reg .u32",
		"ld.param.u32 %r2, [out];", "ld.param.u64 %d, [out];", "st.global.u32 [%r2]", "st.global.u32 [%d]").Replace(narrowKernel)
	put(t, "k.ptx", wide)
	match(t, "summary", hyptx("parse", "k.ptx").must(t, exitDone).out, "64-bit addresses")
	put(t, "k.ptx", strings.Replace(narrowKernel, ".address_size 32\n", "", 1))
	match(t, "summary", hyptx("parse", "k.ptx").must(t, exitDone).out, "32-bit addresses")
}
