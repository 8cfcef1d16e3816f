package isa

import (
	"slices"
	"strings"
	"testing"
)

// TestColumns: every operation answers every column, and one that leaves any out
// is refused. Zero values are no answers.
func TestColumns(t *testing.T) {
	count := 0
	for _, o := range operations {
		if o == nil {
			continue
		}
		count++
		if column := o.missing(); column != "" {
			t.Errorf("%s says nothing in its column %s", o.name, column)
		}
		for column, forget := range map[string]func(o *operation){
			"name": func(o *operation) { o.name = "" }, "flow": func(o *operation) { o.does.flow = noFlow },
			"memory": func(o *operation) { o.does.memory = "" }, "lanes": func(o *operation) { o.does.lanes = noLanes },
			"sync": func(o *operation) { o.does.sync = noSync }, "state": func(o *operation) { o.does.state = noState },
			"unit": func(o *operation) { o.unit = noUnit }, "power": func(o *operation) { o.power = noPower },
			"cost": func(o *operation) { o.cost = Cost{} },
		} {
			without := *o
			forget(&without)
			if got := without.missing(); got != column {
				t.Errorf("%s without its column %s: %q is missing", o.name, column, got)
			}
		}
	}
	if count < 100 {
		t.Errorf("%d operations", count)
	}
	for _, f := range Forms() {
		if f.Flow == noFlow || f.Lanes == noLanes || f.Sync == noSync || f.State == noState || f.Power == noPower ||
			f.Unit == noUnit || f.Unit == byClass || f.Cost.Rule == noCost || slices.Contains(f.Memory, noAccess) {
			t.Errorf("%s: a column has no answer: %+v", f.Syntax, f)
		}
	}
}

// TestMemoryColumn: as many accesses as addresses, and only words that exist.
func TestMemoryColumn(t *testing.T) {
	for memory, want := range map[string]string{
		"reads": "", "none": "nothing is said of address 1", "writes reads": "", "anywhere": "nothing is said", "peeks": "what is",
	} {
		f := Form{Operands: []OperandSpec{{Kind: Value, Write: true}, {Kind: Address}}}
		err := f.parseMemory(memory)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", memory, err)
		}
	}
}

// TestSteps: what is done step by step, every special function among it, has
// steps in all its spellings, and nothing else has.
func TestSteps(t *testing.T) {
	for _, f := range Forms() {
		stepwise := f.Cost.Rule == CostSteps || f.Cost.Rule == CostDivide
		for _, opcode := range f.Spellings() {
			in, err := Decode(opcode)
			if err != nil {
				t.Fatal(err)
			}
			if in.Form == f && (in.Steps(70) != nil) != stepwise {
				t.Errorf("%s: steps are %v", opcode, in.Steps(70))
			}
		}
		special := f.Class == SpecialFP16 || f.Class == SpecialFP32 || f.Class == SpecialFP64
		if special && !stepwise {
			t.Errorf("%s: a special function whose cost has no steps", f.Syntax)
		}
	}
}

// TestStepsOf: the first steps that fit, by type and by modifiers.
func TestStepsOf(t *testing.T) {
	for opcode, want := range map[string]Steps{
		"div.approx.ftz.f32": {Float: 1}, "div.approx.f32": {Float: 4}, "div.full.ftz.f32": {Float: 7}, "div.rn.ftz.f32": {Float: 5, FMA: 5, Check: 1},
		"rem.s64": {Integer: 15}, "rcp.approx.ftz.f64": {Misc: 1}, "rsqrt.approx.f64": {Float: 6, FMA: 4}, "tanh.approx.f16x2": {},
	} {
		s := decode(t, opcode).Steps(80)
		if older := decode(t, opcode).Steps(75); (older == s) == (want.Check > 0) {
			t.Errorf("%s: %+v on Turing", opcode, older)
		}
		if s.Special != 1 || s.Check != want.Check || s.Float != want.Float || s.FMA != want.FMA || want.Integer != 0 && s.Integer != want.Integer || want.Misc != 0 && s.Misc != want.Misc {
			t.Errorf("%s: %+v", opcode, s)
		}
	}
}
