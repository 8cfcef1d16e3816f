package compare

import (
	"context"
	"encoding/binary"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hyptx/analysis"
	"hyptx/internal/featuretest"
	"hyptx/internal/source"
	"hyptx/internal/vary"
	"hyptx/ir/isa"
	"hyptx/ptx-samples/features"
)

// TestFeatures runs every feature program as every variation: one without open
// results leaves the same bits as ever, in whatever direction others would
// move, and one with them what its header expects within the tolerance there.
func TestFeatures(t *testing.T) {
	samples, err := features.All()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.Abs("../../../ptx-samples/features")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range samples {
		if s.Fault != "" {
			continue
		}
		text, err := s.Manifest()
		if err != nil {
			t.Fatal(err)
		}
		open := func(v *vary.Variation) (*analysis.Session, error) {
			opts := analysis.DefaultOptions()
			opts.Mode, opts.Jobs, opts.Variation = analysis.Full, 1, v
			return analysis.OpenManifest(source.File{Name: filepath.Join(dir, s.Name+".json"), Text: text}, opts)
		}
		session, err := open(nil)
		if err != nil {
			t.Fatal(s.Name, err)
		}
		results := OpenResults(session)
		ours, err := session.Run(context.Background())
		if err != nil {
			t.Fatal(s.Name, err)
		}
		sums := &vary.Sums{}
		all := append([]*vary.Variation{{Name: "recording", Record: true, Sums: sums}, {Name: "all up", Signs: vary.Up, Sums: sums}}, vary.Standard(sums)...)
		if all = append(all, vary.Unbounded()); len(results) == 0 {
			all = all[:2]
		}
		all = append(all, vary.Ordered())
		for _, v := range all {
			if matrix := slices.ContainsFunc(results, func(o Open) bool { return o.reason == isa.Accumulated && strings.Contains(o.Opcode, ".f64") }); matrix && v.Signs != vary.Still {
				continue // headers have one order of the sums
			}
			testFeature(t, s, v, ours, outputs(t, open, v), len(results) == 0 || v.Record || v.Order)
		}
	}
}

// testFeature holds what a variation left against the emulator's outputs, or the
// header's.
func testFeature(t *testing.T, s *features.Sample, v *vary.Variation, ours, theirs []analysis.Output, same bool) {
	t.Helper()
	if same && !v.Reverse {
		if r, err := Outputs(ours, theirs, &Tolerance{}); err != nil || r.Verdict != Equal {
			t.Errorf("%s as %s: %+v, %v", s.Name, v.Name, r, err)
		}
	}
	if v.Reverse || v.Unbounded {
		return // the order of atomics, and what has no bound, may show
	}
	for _, b := range s.Buffers {
		for _, o := range theirs {
			if b.Name == o.Name {
				testExpected(t, s, v, b, o)
			}
		}
	}
}

// testExpected holds floating-point results against the header's tolerance, with
// room for the expected number's own rounding.
func testExpected(t *testing.T, s *features.Sample, v *vary.Variation, b *features.Buffer, o analysis.Output) {
	t.Helper()
	at := 0
	for i, want := range b.Out {
		var word [8]byte
		copy(word[:], o.Data[at:at+want.Type.Bytes()])
		at += want.Type.Bytes()
		x, ok := featuretest.Float(binary.LittleEndian.Uint64(word[:]), want.Type)
		y, _ := featuretest.Float(want.Bits, want.Type)
		if ok && !want.Any && x != y && x == x && !(math.Abs(x-y) <= 1.001*max(s.Tolerance.Relative*math.Abs(y), s.Tolerance.Absolute)) {
			t.Errorf("%s as %s: %s[%d] is %g, want %s", s.Name, v.Name, b.Name, i, x, want.Text)
		}
	}
}
