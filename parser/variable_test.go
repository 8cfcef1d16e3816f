package parser

import "testing"

func TestModuleVariables(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{".global .b32 x;", "global b32 x"},
		{".visible .global .align 8 .f64 x[2];", "visible global align 8 f64 x[2]"},
		{".weak .shared .u32 x;", "weak shared u32 x"},
		{".visible .shared .u32 x;", "visible shared u32 x"},
		{".common .global .u32 x;", "common global u32 x"},
		{".extern .shared .align 16 .b8 smem[];", "extern shared align 16 b8 smem[]"},
		{".extern .shared .b8 smem [] ;", "extern shared b8 smem[]"},
		{".visible .const .b8 c[4] = {1, 2, 3, 4};", "visible const b8 c[4] = {1, 2, 3, 4}"},
		{".const[3] .b32 x;", "const bank 3 b32 x"},
		{".global .b8 .align 8 x[12];", "global align 8 b8 x[12]"},
		{".global .align 2*8 .b8 x;", "global align (2 * 8) b8 x"},
		{".global .v4 .f32 x;", "global v4 f32 x"},
		{".global .v2 .u32 x;", "global v2 u32 x"},
		{".global .v8 .b16 x;", "global v8 b16 x"},
		{".global.v4.f32 x;", "global v4 f32 x"},
		{".global .u32 a, b[2], c<4>;", "global u32 a, b[2], c<4>"},
		{".global .s32 offset[][2] = {{-1, 0}, {0, -1}};", "global s32 offset[][2] = {{(- 1), 0}, {0, (- 1)}}"},
		{".global .u32 a[3][4*2] = { {1,2}, {3} };", "global u32 a[3][(4 * 2)] = {{1, 2}, {3}}"},
		{".global .u32 e[4] = {};", "global u32 e[4] = {}"},
		{".global .f32 f = 0f3F800000;", "global f32 f = f32:3F800000"},
		{".global .f64 f = -1.5;", "global f64 f = (- f64:3FF8000000000000)"},
		{".global .u32 a = 1, b = 2;", "global u32 a = 1, b = 2"},
		{".global .u64 p = x+4;", "global u64 p = (x + 4)"},
		{".global .u64 p[2] = {generic(x), generic(x)+8};", "global u64 p[2] = {generic(x), (generic(x) + 8)}"},
		{".global .u64 p[3] = {sym0, generic(x), 15};", "global u64 p[3] = {sym0, generic(x), 15}"},
		{".global .u8 m[] = {0xFF(x), 0xFF00(x+4), 0xff(generic(x)+4), 0xFF(1000+546)};",
			"global u8 m[] = {mask 255 of x, mask 65280 of (x + 4), mask 255 of (generic(x) + 4), mask 255 of (1000 + 546)}"},
		{".global .attribute(.managed) .s32 g;", "global managed() s32 g"},
		{".global .align 4 .attribute(.unified(19,95), .managed) .f32 f;", "global unified(19, 95) managed() align 4 f32 f"},
		{".global .texref t;", "global texref t"},
		{".tex .u32 t;", "tex u32 t"},
		{".surf .u64 s;", "surf u64 s"},
		{".global .surfref s;", "global surfref s"},
		{".global .samplerref s = { wrap = 1, filter_mode = nearest, addr_mode_0 = clamp_to_edge };",
			"global samplerref s = fields{wrap: 1, filter_mode: nearest, addr_mode_0: clamp_to_edge}"},
		{".reg .b32 old;", "reg b32 old"},
		{".local .b8 old[4];", "local b8 old[4]"},
		{".global .u64 _ZN10add..v0.0E_1;", "global u64 _ZN10add..v0.0E_1"},
		{".global .b32 x = 5 // ; not here\n;", "global b32 x = 5"},
	} {
		if got := showVariable(item[*Variable](t, c.text)); got != c.want {
			t.Errorf("%s\n gives %s\n  want %s", c.text, got, c.want)
		}
	}
}

func TestBodyVariables(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{".reg.b64 t;", "reg b64 t"},
		{".reg .pred %p<4>;", "reg pred %p<4>"},
		{".reg .b32 %r<1>,%t<1>,%taddr,%s;", "reg b32 %r<1>, %t<1>, %taddr, %s"},
		{".reg .v4 .f32 %v<2>;", "reg v4 f32 %v<2>"},
		{".reg .b32 %r<WARP_SZ*2>;", "reg b32 %r<(WARP_SZ * 2)>"},
		{".reg .b32 %r<(4>>1)>;", "reg b32 %r<(4 >> 1)>"},
		{".reg .b32 %r<108752>;", "reg b32 %r<108752>"},
		{".reg .u32 div, sub, mul;", "reg u32 div, sub, mul"},
		{".local .align 16 .b8 __local_depot0[32];", "local align 16 b8 __local_depot0[32]"},
		{".shared .u32 tile[16][17];", "shared u32 tile[16][17]"},
		{".param .b64 param0;", "param b64 param0"},
		{".param .align 8 .b8 retval0[24];", "param align 8 b8 retval0[24]"},
		{".param .b8 .align 8 py[12];", "param align 8 b8 py[12]"},
		{".global .texref t;", "global texref t"},
	} {
		if got := showVariable(one[*Variable](t, c.text)); got != c.want {
			t.Errorf("%s\n gives %s\n  want %s", c.text, got, c.want)
		}
	}
}

func TestEveryTypeIsDeclared(t *testing.T) {
	for _, word := range []string{".b8", ".b16", ".b32", ".b64", ".b128", ".u8", ".u16", ".u32", ".u64",
		".s8", ".s16", ".s32", ".s64", ".f16", ".f16x2", ".f32", ".f64", ".pred", ".bf16", ".bf16x2"} {
		if got, want := showVariable(one[*Variable](t, ".reg "+word+" x;")), "reg "+word[1:]+" x"; got != want {
			t.Errorf("%s gives %s", word, got)
		}
	}
}

func TestParameters(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{".param .u64 a", "param u64 a"},
		{".param.u64 a", "param u64 a"},
		{".param .u64 .ptr .global .align 16 p", "param u64 ptr<global 16> p"},
		{".param .u64 .ptr.global.align 16 p", "param u64 ptr<global 16> p"},
		{".param .u64 .ptr .const p", "param u64 ptr<const nil> p"},
		{".param .u64 .ptr .local p", "param u64 ptr<local nil> p"},
		{".param .u64 .ptr .shared p", "param u64 ptr<shared nil> p"},
		{".param .u64 .ptr .align 1 p", "param u64 ptr< 1> p"},
		{".param .u64 .ptr p", "param u64 ptr< nil> p"},
		{".param .align 8 .b8 s[24]", "param align 8 b8 s[24]"},
		{".param .texref t", "param texref t"},
		{".hidden .param .align 64 .b8 p[128]", "hidden param align 64 b8 p[128]"},
		{".param .b8 n[]", "param b8 n[]"},
		{".reg .u32 r", "reg u32 r"},
		{".param .b32 _", "param b32 _"},
	} {
		f := item[*Function](t, ".entry k("+c.text+",\n"+c.text+");")
		if len(f.Params) != 2 {
			t.Fatalf("%s: %d parameters", c.text, len(f.Params))
		}
		for _, p := range f.Params {
			if got := showVariable(p); got != c.want {
				t.Errorf("%s\n gives %s\n  want %s", c.text, got, c.want)
			}
		}
	}
}
