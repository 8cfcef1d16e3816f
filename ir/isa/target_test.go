package isa

import (
	"strings"
	"testing"
)

func TestParseTarget(t *testing.T) {
	for names, want := range map[string]Target{
		"sm_70":                     {SM: 70},
		"sm_90a":                    {SM: 90, Feature: 'a'},
		"sm_100f debug":             {SM: 100, Feature: 'f'},
		"compute_80":                {SM: 80},
		"texmode_independent sm_20": {SM: 20},
		"sm_13 map_f64_to_f32":      {SM: 13, mapF64: true},
		"sm_70 sm_80 sm_75":         {SM: 80},
		"sm_121a texmode_unified":   {SM: 121, Feature: 'a'},
	} {
		got, err := ParseTarget(strings.Fields(names))
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v", names, got, err)
		}
	}
	for _, names := range []string{"", "debug", "sm_71", "sm_70a", "sm_", "70", "texmode", "sm_70 sm_999"} {
		if got, err := ParseTarget(strings.Fields(names)); err == nil {
			t.Errorf("%q is taken as %v", names, got)
		}
	}
}

func TestMinPTX(t *testing.T) {
	for name, want := range map[string]int{"sm_70": 600, "sm_80": 700, "sm_90": 708, "sm_90a": 800, "sm_100f": 808, "sm_12": 102} {
		target, err := ParseTarget([]string{name})
		if err != nil || target.MinPTX() != want || target.String() != name {
			t.Errorf("%s: %v since PTX %d, %v", name, target, target.MinPTX(), err)
		}
	}
}

// TestProvides: which code runs where (PTX ISA 11.1.2).
func TestProvides(t *testing.T) {
	for _, c := range []struct {
		need    string
		yes, no string
	}{
		{"sm_80", "sm_80 sm_86 sm_90a sm_100f", "sm_75"},
		{"sm_90a", "sm_90a", "sm_90 sm_100a"},
		{"sm_100a", "sm_100a", "sm_100 sm_100f sm_103a"},
		{"sm_100f", "sm_100f sm_100a sm_103f sm_103a sm_107f", "sm_100 sm_103 sm_110f sm_120a"},
		{"sm_103f", "sm_103a sm_103f", "sm_100f"},
	} {
		need, _ := ParseTarget([]string{c.need})
		for i, list := range []string{c.no, c.yes} {
			for name := range strings.FieldsSeq(list) {
				target, err := ParseTarget([]string{name})
				if err != nil || target.Provides(need) != (i == 1) {
					t.Errorf("%s provides %s: %v, %v", name, c.need, i != 1, err)
				}
			}
		}
	}
}

// TestCheck: versions and targets of forms, modifiers and dropped forms, from
// the manual's notes on each instruction.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		opcode string
		ptx    int
		target string
		err    string // "" when legal
	}{
		{"add.f32", 100, "sm_10", ""},
		{"add.rm.f32", 200, "sm_13", ".rm needs target sm_20"},
		{"add.u16x2", 708, "sm_90", ".u16x2 needs PTX 8.0, the module has 7.8"},
		{"add.u16x2", 800, "sm_89", ".u16x2 needs target sm_90, the module has sm_89"},
		{"add.u16x2", 800, "sm_90a", ""},
		{"add.u8x4", 902, "sm_100f", "needs target sm_120f or sm_107f"},
		{"add.u8x4", 902, "sm_120a", ""},
		{"min.NaN.f32", 605, "sm_75", ".NaN needs PTX 7.0"},
		{"shfl.up.b32", 603, "sm_70", ""},
		{"shfl.up.b32", 604, "sm_61", ""},
		{"shfl.up.b32", 604, "sm_70", "PTX 6.4 dropped this form"},
		{"shfl.sync.up.b32", 604, "sm_70", ""},
		{"mad.f32", 301, "sm_20", ""},
		{"div.f32", 103, "sm_10", ""},
		{"div.f32", 104, "sm_10", "div.f32 needs a modifier since PTX 1.4; div.approx.ftz.f32 is what it meant before"},
		{"rcp.f64", 103, "sm_12", "needs target sm_13"},
		{"fma.rz.bf16", 900, "sm_90", "is not in PTX ISA 9.4, though ptxas 13.0 takes it"},
		{"add.f64", 100, "map_f64_to_f32 sm_10", ""},
		{"vote.all.pred", 102, "map_f64_to_f32 sm_10", "needs target sm_12"},
		{"mad.f32", 302, "sm_20", "PTX 3.2 dropped this form"},
		{"tanh.approx.f32", 700, "sm_70", "needs target sm_75"},
		{"ld.global.L1::no_allocate.f32", 703, "sm_80", "needs PTX 7.4"},
		{"ld.global.v2.f64", 100, "sm_13", ""},
		{"ld.global.v4.f64", 808, "sm_90", "a vector of 256 bits needs target sm_100"},
		{"st.global.v4.b64", 807, "sm_100", "a vector of 256 bits needs PTX 8.8"},
		{"ld.global.v4.f64", 808, "sm_100", ""},
		{"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 700, "sm_75", "needs target sm_80"},
	} {
		target, err := ParseTarget(strings.Fields(c.target))
		if err != nil {
			t.Fatal(err)
		}
		err = decode(t, c.opcode).Check(c.ptx, target)
		if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s in PTX %d for %s: %v, want %q", c.opcode, c.ptx, c.target, err, c.err)
		}
	}
	third := &decode(t, "min.f32").Form.Operands[3]
	if err := third.Check(807, Target{SM: 100}); err == nil {
		t.Error("min with three sources is legal in PTX 8.7")
	}
	if err := third.Check(808, Target{SM: 100}); err != nil {
		t.Error(err)
	}
}
