package analysis

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"hyptx/internal/source"
)

// measured are the columns that say what was run, not what was counted.
var measured = []string{"EmulatedCTAs", "EmulatedWarpInstructions", "AnalysisMS"}

// withoutMeasured returns a row without what differs between two runs.
func withoutMeasured(r *Row) Row {
	row := *r
	for _, name := range measured {
		f := reflect.ValueOf(&row).Elem().FieldByName(name)
		f.Set(reflect.Zero(f.Type()))
	}
	return row
}

// choiceManifest launches chain.ptx: fill gives b its loop bound, which spin
// reads; other writes what nobody reads.
const choiceManifest = `{"version": 1, "name": "n", "buffers": {
 "a": {"type": "u32", "init": {"values": [5]}}, "b": {"bytes": 4, "type": "u32"}, "c": {"bytes": 4, "type": "u32"}},
"launches": [
 {"label": "l0", "module": "k.ptx", "kernel": "spin", "grid": [2], "block": [64], "args": [{"buffer": "a"}, {"buffer": "b"}]},
 {"label": "l1", "module": "k.ptx", "kernel": "spin", "grid": [1], "block": [32], "args": [{"buffer": "a"}, {"buffer": "c"}]},
 {"label": "l2", "module": "k.ptx", "kernel": "spin", "grid": [3], "block": [32], "args": [{"buffer": "b"}, {"buffer": "c"}]},
 {"label": "l3", "module": "k.ptx", "kernel": "spin", "grid": [1], "block": [96], "args": [{"buffer": "c"}, {"buffer": "b"}]}]}`

const choicePTX = `.version 7.0
.target sm_70
.address_size 64
.visible .entry spin(.param .u64 from, .param .u64 to)
{
.reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<3>;
ld.param.u64 %rd1, [from];
ld.param.u64 %rd2, [to];
ld.global.u32 %r1, [%rd1];
mov.u32 %r2, 0;
L: add.u32 %r2, %r2, 1;
setp.lt.u32 %p1, %r2, %r1;
@%p1 bra L;
st.global.u32 [%rd2], %r2;
ret;
}
`

func choiceSession(t *testing.T, mode Mode, launch, kernel string) *Session {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "k.ptx"), []byte(choicePTX), 0o644); err != nil {
		t.Fatal(err)
	}
	opts := DefaultOptions()
	opts.Mode, opts.Launch, opts.Kernel = mode, launch, kernel
	s, err := OpenManifest(source.File{Name: filepath.Join(dir, "m.json"), Text: []byte(choiceManifest)}, opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestChoiceIsFilter: the rows of chosen launches are those of the whole
// program.
func TestChoiceIsFilter(t *testing.T) {
	for _, mode := range []Mode{Static, Control, Memory, Full} {
		whole, err := choiceSession(t, mode, "", "").Profile(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for choice, want := range map[string][]int{
			"0": {0}, "1": {1}, "2": {2}, "3": {3}, "0-1,3": {0, 1, 3}, "l2": {2}, "l3, 0": {0, 3}, "0-3": {0, 1, 2, 3}, "1,1": {1},
		} {
			s := choiceSession(t, mode, choice, "spin")
			s.Options.Verify = mode == Control
			p, err := ProfileAll(context.Background(), []*Session{s})
			if err != nil {
				t.Fatalf("--launch %s: %v", choice, err)
			}
			if len(p.Launches) != len(want) {
				t.Fatalf("--launch %s gives %d launches, want %v", choice, len(p.Launches), want)
			}
			for i, n := range want {
				if got, all := withoutMeasured(p.Rows[i]), withoutMeasured(whole.Rows[n]); got != all {
					t.Errorf("--launch %s, mode %s:\n%+v\nof the whole program:\n%+v", choice, mode, got, all)
				}
			}
		}
	}
}

// TestChoiceAcrossLaunches: the last launch alone has the counts that it has
// behind the others, whose results it needs.
func TestChoiceAcrossLaunches(t *testing.T) {
	for _, mode := range []Mode{Control, Memory, Full} {
		whole, err := crossLaunch(t, mode).Profile(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for i, n := range []string{"0", "1", "2"} {
			s := crossLaunch(t, mode)
			s.Options.Launch = n
			p, err := s.Profile(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if got, all := withoutMeasured(p.Rows[0]), withoutMeasured(whole.Rows[i]); got != all {
				t.Errorf("--launch %s, mode %s:\n%+v\nof the whole program:\n%+v", n, mode, got, all)
			}
		}
	}
}

// TestChoiceNarrows: what no chosen launch depends on does not run.
func TestChoiceNarrows(t *testing.T) {
	for _, c := range []struct {
		mode   Mode
		launch string
		want   [4]bool // which launches run
	}{
		{Control, "0", [4]bool{true, false, false, false}},
		{Control, "1", [4]bool{false, true, false, false}},
		{Control, "2", [4]bool{true, false, true, false}},
		{Control, "3", [4]bool{true, true, true, true}}, // who wrote c last is not asked
		{Full, "1", [4]bool{true, true, false, false}},
	} {
		s := choiceSession(t, c.mode, c.launch, "")
		chosen, err := s.chosen()
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range s.narrowed(s.plan(nil), chosen) {
			if (f != nil) != c.want[i] {
				t.Errorf("mode %s, --launch %s: launch %d runs: %v, want %v", c.mode, c.launch, i, f != nil, c.want[i])
			}
		}
	}
}

// TestAssumedBuffers names the buffer without contents on which decisions rest,
// in the launch that reads it and in the one that reads what it left behind;
// not the buffers that were written before they were read.
func TestAssumedBuffers(t *testing.T) {
	s := choiceSession(t, Control, "0,2", "")
	s.Manifest.Buffers[0].Init = nil
	again, err := newSession(s.Manifest, s.modules, s.Options)
	if err != nil {
		t.Fatal(err)
	}
	p, err := again.Profile(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, lp := range p.Launches {
		if got := lp.AssumedInputs; got != "buffers.a has no init" || lp.Exactness != "assumed" {
			t.Errorf("launch %d: assumed_inputs %q, %s", lp.Number, got, lp.Exactness)
		}
	}
}

// TestTooMuchForATotal: launches that can each be counted, but not together.
func TestTooMuchForATotal(t *testing.T) {
	s := choiceSession(t, Control, "0", "")
	p, err := s.Profile(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	lp := p.Launches[0]
	lp.Facts.Set(ThreadInstructions, 1<<57)
	for range 63 {
		p.of.add(lp)
	}
	rows := len(p.Rows)
	if err := p.finish(s); err == nil || !strings.Contains(err.Error(), "too many for a total") || len(p.Rows) != rows {
		t.Errorf("%d rows, %v", len(p.Rows), err)
	}
}

// TestChoiceErrors names the part of the choice that means no launch.
func TestChoiceErrors(t *testing.T) {
	for _, c := range []struct{ launch, kernel, want string }{
		{"4", "", `option launch: there is no launch 4; the launches are 0 to 3`},
		{"1,x", "", `option launch: "x" is no label of a launch; give labels, numbers (the last one is 3), or ranges of them, as 0,7-9`},
		{"1,", "", `option launch: "" is no label of a launch; give labels, numbers (the last one is 3), or ranges of them, as 0,7-9`},
		{"-1", "", `option launch: "-1" is no label of a launch; give labels, numbers (the last one is 3), or ranges of them, as 0,7-9`},
		{"3-2", "", `option launch: the range 3-2 is empty`},
		{"", "k", `there is no kernel "k"; there is spin`},
	} {
		s := choiceSession(t, Control, c.launch, c.kernel)
		s.Manifest.File = "m.json"
		if _, err := s.chosen(); err == nil || err.Error() != "m.json: "+c.want {
			t.Errorf("--launch %q --kernel %q: %v, want %s", c.launch, c.kernel, err, c.want)
		}
	}
}
