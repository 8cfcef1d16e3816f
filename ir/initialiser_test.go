package ir

import (
	"bytes"
	"slices"
	"testing"
)

func TestInitialisers(t *testing.T) {
	m := lowerText(t, `.global .u16 a[4] = {1, -1};
.global .f32 f[2] = {1.0, 0f40000000};
.global .u8 grid[2][3] = {{1, 2}, {3}};
.global .u8 flat[2][2] = {1, 2, 3};
.const .u64 p[3] = {a, generic(a)+8, k};
.global .u8 split[3] = {0xFF(a+2), 0xFF00(generic(a)), 0xFF(0x1234)};
.global .u32 scalar = 4 * 8;
.global .u8 count[] = {1, 2, 3};
.entry k { }`)
	vars := make(map[string]*Var)
	for _, v := range m.Vars {
		vars[v.Name] = v
	}
	want := map[string][]byte{
		"a": {1, 0, 0xFF, 0xFF}, "f": {0, 0, 0x80, 0x3F, 0, 0, 0, 0x40},
		"grid": {1, 2, 0, 3}, "flat": {1, 2, 3}, "scalar": {32, 0, 0, 0},
		"p": make([]byte, 24), "split": {0, 0, 0x34}, "count": {1, 2, 3},
	}
	for name, w := range want {
		if got := vars[name].Init; !bytes.Equal(got, w) {
			t.Errorf("%s holds % x, want % x", name, got, w)
		}
	}
	if vars["count"].Bytes != 3 || vars["grid"].Bytes != 6 {
		t.Errorf("sizes %d, %d, want 3, 6", vars["count"].Bytes, vars["grid"].Bytes)
	}
	a, k := vars["a"], m.Func("k")
	if got, want := vars["p"].Relocs, []reloc{{0, 8, 0, a, nil, 0, false}, {8, 8, 0, a, nil, 8, true}, {16, 8, 0, nil, k, 0, false}}; !slices.Equal(got, want) {
		t.Errorf("relocations of p: %+v, want %+v", got, want)
	}
	if got, want := vars["split"].Relocs, []reloc{{0, 1, 0, a, nil, 2, false}, {1, 1, 8, a, nil, 0, true}}; !slices.Equal(got, want) {
		t.Errorf("relocations of split: %+v, want %+v", got, want)
	}
}

func TestOpaqueFields(t *testing.T) {
	m := lowerText(t, `.global .texref t = { width = 4 * 2, filter_mode = nearest };`)
	want := []Field{{Name: "width", Value: 8}, {Name: "filter_mode", Word: "nearest"}}
	if got := m.Vars[0].Fields; !slices.Equal(got, want) {
		t.Errorf("fields %+v, want %+v", got, want)
	}
}

func TestInitialiserErrors(t *testing.T) {
	checkErrors(t, prologue+`.global .u32 a = {1, 2}; // want "one value"
.global .u32 b[2] = 1; // want "list in braces"
.global .u32 c[2] = {{1, 2}, 3}; // want "one value"
.global .u32 d[2][2] = {{1, 2, 3}}; // want "more values"
.global .u32 e = {width = 1}; // want "no fields"
.global .f32 f = a; // want "does not fit"
.global .u16 g = a; // want "does not fit"
.global .u32 h = 1.5; // want "floating-point"
.global .u64 i = a + 1.5; // want "two integers"
.global .u8 j = 0xF00(a); // want "whole bytes"
.global .u8 k = 0xFF(1.5); // want "an integer or an address"
.extern .global .u32 l = 1; // want "no initialiser"
.global .u64 m = generic(5); // want "takes a variable"
.global .u8 n[1073741824][2] = {{1}, {2}};
.global .u8 o[2][1073741824] = {{1}, {2}}; // want "not supported"`)
}
