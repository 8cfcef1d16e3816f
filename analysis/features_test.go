package analysis

import (
	"context"
	"strings"
	"testing"

	"hyptx/emulator"
	"hyptx/internal/featuretest"
	"hyptx/internal/source"
	"hyptx/ir/isa"
	"hyptx/ptx-samples/features"
)

// TestFeatures runs every program of ptx-samples/features and compares what it
// leaves in memory with what its header expects. In control mode every one
// must also count as in full mode.
func TestFeatures(t *testing.T) {
	for _, s := range featureSamples(t) {
		t.Run(s.Name, func(t *testing.T) {
			m, err := featureSession(t, s).Run(context.Background())
			if s.Fault != "" {
				if err == nil || !strings.Contains(err.Error(), s.Fault) {
					t.Errorf("the run ends with %v, want an error about %q", err, s.Fault)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			i := 0
			for _, b := range s.Buffers {
				if b.Out != nil {
					for _, wrong := range featuretest.Differences(s, b, m[i].Data) {
						t.Error(wrong)
					}
					i++
				}
			}
			control := featureSession(t, s)
			p, err := control.Profile(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if err := control.Verify(context.Background(), p); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestEveryFormProven: what is executed has a program that proves it.
func TestEveryFormProven(t *testing.T) {
	proven, err := features.Proven()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, f := range isa.Forms() {
		switch names, reason := proven[f.Index], emulator.Unsupported(f); {
		case f.Beyond && len(names) == 0: // strictly no program may have it; TestSpellings proves it
		case reason == "" && len(names) == 0:
			t.Errorf("no program in ptx-samples/features proves %s (%s, the opcode %s)", f.Syntax, f.Section, f.Spellings()[0])
		case reason != "" && len(names) > 0:
			t.Errorf("%s is not executed (%s), but %v claim to prove it", f.Syntax, reason, names)
		case reason == "":
			n++
		}
	}
	t.Logf("%d forms are executed and proven", n)
}

// featureSamples are the programs.
func featureSamples(t *testing.T) []*features.Sample {
	t.Helper()
	samples, err := features.All()
	if err != nil {
		t.Fatal(err)
	}
	return samples
}

// featureSession makes a session of one program.
func featureSession(t *testing.T, s *features.Sample) *Session {
	t.Helper()
	return featureSessionWith(t, s, DefaultOptions())
}

func featureSessionWith(t *testing.T, s *features.Sample, o Options) *Session {
	t.Helper()
	text, err := s.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	session, err := OpenManifest(source.File{Name: "../ptx-samples/features/" + s.Name + ".json", Text: text}, o)
	if err != nil {
		t.Fatal(err)
	}
	return session
}

// TestFeaturesCanFail: every bit of every number that is expected exactly
// counts.
func TestFeaturesCanFail(t *testing.T) {
	const text = `// form: add{.rnd}{.ftz}{.sat}.f32 d, a, b
// source: none, this is no feature
// out o: f32 1.5 nan -0.0 u16 7 ? f64 0.1
`
	s, err := features.Parse("x.ptx", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	b := s.Buffers[0]
	data := features.Encode(b.Out)
	if wrong := featuretest.Differences(s, b, data); wrong != nil {
		t.Error(wrong)
	}
	for bit := range 8 * len(data) {
		data[bit/8] ^= 1 << (bit % 8)
		wrong := featuretest.Differences(s, b, data)
		if anything := bit/16 == 7; (len(wrong) == 1) == anything {
			t.Errorf("bit %d changed: %v", bit, wrong)
		}
		data[bit/8] ^= 1 << (bit % 8)
	}
	s.Tolerance.Relative = 0x1p-20
	data[0] ^= 1
	if wrong := featuretest.Differences(s, b, data); wrong != nil {
		t.Errorf("within the tolerance: %v", wrong)
	}
	data[2] ^= 0x80
	if len(featuretest.Differences(s, b, data)) != 1 {
		t.Error("beyond the tolerance, and taken")
	}
}
