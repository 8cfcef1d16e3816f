package golden_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hyptx/analysis"
	"hyptx/internal/hardware/golden"
	"hyptx/internal/manifest"
	"hyptx/ptx-samples/features"
)

var device = golden.Device{Name: "Test GPU 80GB", Major: 9, SMs: 132, DriverVersion: 13000}

// emulate is a golden.Run by the emulator.
func emulate(ctx context.Context, _ golden.Sample, s *analysis.Session) (golden.Result, error) {
	outputs, err := s.Run(ctx)
	return golden.Result{Outputs: outputs}, err
}

// samples lists all samples and the foreign networks that are named, where
// they are present.
func samples(t *testing.T, networks ...string) []golden.Sample {
	t.Helper()
	var paths []string
	for _, n := range networks {
		for _, path := range []string{filepath.Join("..", "..", "..", "..", "shared", "cnn", n, n+".json"), filepath.Join("..", "..", "..", "ptx-samples", "networks", n+".json")} {
			if _, err := os.Stat(path); err == nil {
				paths = append(paths, path)
			}
		}
	}
	list, err := golden.Samples(filepath.Join("..", "..", "..", "ptx-samples"), paths)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// check holds the emulator against a golden.
func check(t *testing.T, p golden.Program, s golden.Sample) golden.Verdict {
	t.Helper()
	v, err := golden.Check(context.Background(), p, s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestSelf makes goldens of every sample with the emulator, writes and reads
// them, and finds them right; and for each program one changed bit is found.
func TestSelf(t *testing.T) {
	list := samples(t, "lenet5-sm_70")
	var text bytes.Buffer
	w, err := golden.NewWriter(&text, golden.Header{Device: device, Date: "2026-11-21", Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		p, _ := golden.Make(context.Background(), s, emulate)
		if err := w.Encode(p); err != nil {
			t.Fatal(err)
		}
	}
	f, err := golden.Read("outputs.jsonl", text.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if f.Header.Device != device || len(f.Programs) != len(list) {
		t.Fatalf("read back: %+v and %d programs of %d", f.Header, len(f.Programs), len(list))
	}
	for i, p := range f.Programs {
		if v := check(t, p, list[i]); !v.Equal || v.Stale || v.Wrong != nil {
			t.Errorf("%s: %+v", p.Name, v)
		}
		if changed, ok := flip(t, p, list[i]); ok {
			if v := check(t, changed, list[i]); v.Equal || v.Stale || v.Wrong == nil {
				t.Errorf("%s: one bit changed, and %+v", p.Name, v)
			}
		}
	}
	t.Logf("%d programs, %d bytes", len(list), text.Len())
}

// flip changes the highest bit of the first number that a program's first output fixes:
// its sign, where it is approximate.
func flip(t *testing.T, p golden.Program, s golden.Sample) (golden.Program, bool) {
	t.Helper()
	for i, output := range p.Outputs {
		if output.Bytes == 0 {
			continue
		}
		o, err := output.Unpack()
		if err != nil {
			t.Fatal(err)
		}
		last, fixed := lastByte(o, s)
		if !fixed {
			continue
		}
		o.Data[last] ^= 0x80
		packed, err := golden.Pack(o)
		if err != nil {
			t.Fatal(err)
		}
		p.Outputs = slices.Clone(p.Outputs)
		p.Outputs[i] = packed
		return p, true
	}
	return p, false
}

// lastByte returns where the last byte of an output's first number is of which not any
// value is right.
func lastByte(o analysis.Output, s golden.Sample) (at int, fixed bool) {
	if s.Feature != nil {
		for _, b := range s.Feature.Buffers {
			if b.Name != o.Name {
				continue
			}
			i := slices.IndexFunc(b.Out, func(v features.Value) bool { return !v.Any })
			return (i+1)*b.Out[0].Type.Bytes() - 1, i >= 0
		}
	}
	return max(o.Type.Size(), 1) - 1, true
}

// find returns a sample by its name.
func find(t *testing.T, list []golden.Sample, name string) golden.Sample {
	t.Helper()
	for _, s := range list {
		if s.Name == name {
			return s
		}
	}
	t.Fatal("no sample " + name)
	return golden.Sample{}
}

// TestCheck names what is wrong with a golden, besides its numbers.
func TestCheck(t *testing.T) {
	list := samples(t)
	add, trap := find(t, list, "features/add_f32"), find(t, list, "features/trap_taken")
	good, _ := golden.Make(context.Background(), add, emulate)
	trapped, broken := golden.Make(context.Background(), trap, emulate)
	if !broken || trapped.Failed == "" {
		t.Errorf("a trap: %+v, broken %t", trapped, broken)
	}
	refused, broken := golden.Make(context.Background(), add, func(context.Context, golden.Sample, *analysis.Session) (golden.Result, error) {
		return golden.Result{}, golden.Refusal{Err: os.ErrInvalid}
	})
	if broken || refused.Skipped != os.ErrInvalid.Error() {
		t.Errorf("a refusal: %+v, broken %t", refused, broken)
	}
	with := func(p golden.Program, change func(*golden.Program)) golden.Program {
		p.Outputs = append([]golden.Output(nil), p.Outputs...)
		change(&p)
		return p
	}
	for _, c := range []struct {
		name   string
		golden golden.Program
		sample golden.Sample
		wrong  string
	}{
		{"skipped", refused, add, ""},
		{"trapped", trapped, trap, ""},
		{"not trapped", with(trapped, func(p *golden.Program) { p.Failed = "" }), trap, "without the error"},
		{"failed", with(good, func(p *golden.Program) { p.Failed = "launch failed" }), add, `"launch failed"`},
		{"no output", with(good, func(p *golden.Program) { p.Outputs = nil }), add, "0 outputs on the GPU, 1 here"},
		{"other name", with(good, func(p *golden.Program) { p.Outputs[0].Name = "x" }), add, "output x"},
		{"other type", with(good, func(p *golden.Program) { p.Outputs[0].Type = "f64" }), add, "f64"},
		{"unknown type", with(good, func(p *golden.Program) { p.Outputs[0].Type = "q7" }), add, `unknown type "q7"`},
		{"other hash", with(good, func(p *golden.Program) { p.Outputs[0].SHA256 = "00" }), add, "not that of its sha256"},
		{"hash alone", with(good, func(p *golden.Program) { p.Outputs[0].Packed = nil }), add, ""},
		{"other hash alone", with(good, func(p *golden.Program) { p.Outputs[0].Packed, p.Outputs[0].SHA256 = nil, "00" }), add, "only that was kept"},
		{"no deflate", with(good, func(p *golden.Program) { p.Outputs[0].Packed = []byte{7, 7, 7} }), add, "deflated"},
	} {
		v := check(t, c.golden, c.sample)
		if text := strings.Join(v.Wrong, "\n"); (text != "") != (c.wrong != "") || !strings.Contains(text, c.wrong) {
			t.Errorf("%s: %q, want %q", c.name, text, c.wrong)
		}
	}
}

// TestBounds: what a GPU may compute otherwise, and a sample that has changed.
func TestBounds(t *testing.T) {
	list := samples(t)
	softmax := find(t, list, "kernels/sm_80/softmax")
	near, _ := golden.Make(context.Background(), softmax, emulate)
	o, err := near.Outputs[0].Unpack()
	if err != nil {
		t.Fatal(err)
	}
	o.Data[0] ^= 1
	if near.Outputs[0], err = golden.Pack(o); err != nil {
		t.Fatal(err)
	}
	if v := check(t, near, softmax); v.Equal || v.Wrong != nil || v.Open != nil {
		t.Errorf("one ulp of a softmax, which rests on ex2.approx: %+v", v)
	}
	add := find(t, list, "features/add_f32")
	good, _ := golden.Make(context.Background(), add, emulate)
	good.Inputs = "of old"
	if v := check(t, good, add); !v.Stale || !v.Equal {
		t.Errorf("stale: %+v", v)
	}
}

// TestRead: files that are no goldens, and one that was cut off.
func TestRead(t *testing.T) {
	const head = `{"format": 1, "device": {"name": "G"}, "date": "2026-11-21", "hyptx_version": "x"}` + "\n"
	for _, c := range []struct{ text, wrong string }{
		{"", "is empty"},
		{"{}\n", "format is 0; this version reads 1"},
		{"hello\n", "f:1: header: invalid character"},
		{head + "{}\n", "f:2: a program has no name"},
		{head + `{"name": "a", "nam": "b"}` + "\n", `f:2: unknown key "nam"`},
		{head + `{"name": "a"}` + "\n" + `{"name": "a"}` + "\n", "f:3: a stands there twice"},
	} {
		if _, err := golden.Read("f", []byte(c.text)); err == nil || !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%q: %v, want %q", c.text, err, c.wrong)
		}
	}
	f, err := golden.Read("f", []byte(head+`{"name": "a"}`+"\n"+`{"name": "b", "outp`))
	if err != nil || len(f.Programs) != 1 {
		t.Errorf("cut off: %v, %v", f, err)
	}
}

// TestPack: long contents are kept as a hash; a device has a folder.
func TestPack(t *testing.T) {
	o, err := golden.Pack(analysis.Output{Name: "o", Type: manifest.F32, Data: make([]byte, golden.MaxData+4)})
	if err != nil || o.Packed != nil || o.Bytes != golden.MaxData+4 {
		t.Errorf("%d bytes packed, %d bytes, %v", len(o.Packed), o.Bytes, err)
	}
	for name, want := range map[string]string{"NVIDIA H100 80GB HBM3": "nvidia-h100-80gb-hbm3", "Tesla V100-SXM2": "tesla-v100-sxm2", "../": "unnamed"} {
		if got := (golden.Device{Name: name}).Folder(); got != want {
			t.Errorf("folder of %q: %q, want %q", name, got, want)
		}
	}
}
