package st2

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"hyptx/analysis"
	"hyptx/emulator"
	"hyptx/internal/adder"
	"hyptx/internal/figure"
	"hyptx/internal/gpu"
	"hyptx/internal/predict"
	"hyptx/internal/roofline"
	"hyptx/internal/source"
)

// watched runs programs with their additions watched, and predicts them if asked to.
func watched(t *testing.T, o adder.Options, jobs int, predicted bool, paths ...string) *Suite {
	t.Helper()
	return watchedBy(t, o, analysis.Watching{Rules: emulator.Adds{On: true}}, jobs, predicted, paths...)
}

// watchedBy does, by rules.
func watchedBy(t *testing.T, o adder.Options, by analysis.Watching, jobs int, predicted bool, paths ...string) *Suite {
	t.Helper()
	m, err := adder.NewModel(o)
	if err != nil {
		t.Fatal(err)
	}
	devices, err := roofline.Devices([]string{"titan-v"})
	if err != nil {
		t.Fatal(err)
	}
	s := &Suite{Model: m, GPU: devices[0].Spec}
	for _, path := range paths {
		opts := analysis.DefaultOptions()
		opts.Jobs = jobs
		by.Model, by.GPU, by.Heard = m, s.GPU, s.Heard
		opts.Watching = &by
		open := func(opts analysis.Options) ([]*analysis.Session, error) {
			src, err := source.Read(path, nil)
			if err != nil {
				t.Fatal(err)
			}
			session, err := analysis.OpenManifest(src, opts)
			return []*analysis.Session{session}, err
		}
		session, err := open(opts)
		if err != nil {
			t.Fatal(err)
		}
		if err := session[0].Execute(context.Background()); err != nil {
			t.Fatal(err)
		}
		if !predicted {
			continue
		}
		opts.Watching, opts.OverTime = nil, true
		p, err := predict.Run(context.Background(), devices, opts, open)
		if err != nil {
			t.Fatal(err)
		}
		s.Predicted(session[0].Manifest.Name, p)
		slowed := s.Slowed(session[0].Manifest.Name)
		if slowed == nil {
			continue
		}
		again, err := predict.Again(context.Background(), devices, slowed, opts, open)
		if err != nil {
			t.Fatal(err)
		}
		s.Stalled(again)
	}
	return s
}

// TestEndedEarly: where time and energy were not found of all launches whose additions were watched,
// rows have none, and say so; nor does a slowdown count launches that were not simulated again.
func TestEndedEarly(t *testing.T) {
	s := watched(t, options(), 1, true, sample("gemm_tiled"))
	k := s.Kernels[0]
	if r, p := s.Energies()[0], s.Perf()[0]; !r.System.Known || !p.Base.Known || !p.Slowed.Known || r.Missing != "" {
		t.Fatalf("%+v, %+v", r, p)
	}
	k.simulations++
	if p := s.Perf()[0]; p.Slowed.Known || !p.Base.Known {
		t.Errorf("one launch was not simulated again: %+v", p)
	}
	k.heard++
	r, p := s.Energies()[0], s.Perf()[0]
	const want = "the run for time and energy ended before 1 of its 2 launches"
	if r.System.Known || p.Base.Known || r.Missing != want || p.Missing != want {
		t.Errorf("%+v, %+v", r, p)
	}
}

func options() adder.Options {
	o := adder.DefaultOptions()
	o.SMs, o.PerPC, o.Threads = 3, true, []uint64{5}
	return o
}

func sample(name string) string { return filepath.Join("../../ptx-samples/kernels", name+".json") }

// TestJobs: results do not depend on how many cores there are, whatever the order of
// warps; and other orders give others.
func TestJobs(t *testing.T) {
	var all [][]byte
	for _, order := range []adder.Order{adder.RoundRobin, adder.Emulated} {
		var first []byte
		for _, jobs := range []int{1, 4} {
			o := options()
			o.Order = order
			s := watched(t, o, jobs, false, sample("gemm_tiled"), sample("softmax"), sample("conv_tiled"))
			var b bytes.Buffer
			for _, rows := range []any{s.Designs(), s.PCs(), s.Values()} {
				if err := analysis.RowWriter(&b, analysis.Stamp{})(rows); err != nil {
					t.Fatal(err)
				}
			}
			if first == nil {
				first = b.Bytes()
			} else if !bytes.Equal(first, b.Bytes()) {
				t.Errorf("%s: with %d jobs other rows", order, jobs)
			}
		}
		all = append(all, first)
	}
	if bytes.Equal(all[0], all[1]) {
		t.Error("the order of warps changes nothing")
	}
}

// TestAllAdds: what is watched of floating point is what the emulator counts.
func TestAllAdds(t *testing.T) {
	for _, name := range []string{"gemm_tiled", "softmax", "conv_direct", "local_response_norm"} {
		s := watched(t, options(), 2, true, sample(name))
		src, err := source.Read(sample(name), nil)
		if err != nil {
			t.Fatal(err)
		}
		session, err := analysis.OpenManifest(src, analysis.DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		p, err := session.Profile(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		var counted uint64
		for _, lp := range p.Launches {
			counted += lp.Facts.Of(analysis.FlopSPAdd).N + lp.Facts.Of(analysis.FlopSPFma).N
		}
		if got := s.Kernels[0].Adds.Work[0][adder.FP32].Adds; got != counted || got == 0 {
			t.Errorf("%s: %d additions of .f32 were watched, %d counted", name, got, counted)
		}
		var pcs, values uint64
		for i := range s.Kernels[0].Adds.PCs {
			pcs += s.Kernels[0].Adds.PCs[i].Executions
		}
		values = uint64(len(s.Values()))
		if _, work, _ := s.Kernels[0].sum(0, 0, 8, every); pcs != work.Adds || values == 0 {
			t.Errorf("%s: %d additions by instruction, %d in all; %d results of a thread", name, pcs, work.Adds, values)
		}
		for _, m := range s.Mix() {
			if sum := m.ALUAdd.X + m.ALUOther.X + m.FPUAdd.X + m.FPUOther.X + m.DPU.X + m.Mem.X + m.Ctrl.X + m.Other.X; sum < 99.99 || sum > 100.01 {
				t.Errorf("%s: the mix sums to %g %%", name, sum)
			}
		}
	}
}

// TestChosenByPC: the chosen design's mispredictions by instruction sum to those in all.
func TestChosenByPC(t *testing.T) {
	s := watched(t, options(), 1, false, sample("conv_tiled"))
	point, _ := s.chosen()
	c, _, _ := s.Kernels[0].sum(point, 0, 8, every)
	var mis uint64
	for i := range s.Kernels[0].Adds.PCs {
		mis += s.Kernels[0].Adds.PCs[i].Mispredicted
	}
	if mis != c.Mispredicted || mis == 0 {
		t.Errorf("%d mispredictions by instruction, %d in all", mis, c.Mispredicted)
	}
}

// TestFigures: every figure is drawn, in both themes, and is the same when it is drawn again.
func TestFigures(t *testing.T) {
	s := watched(t, options(), 2, true, sample("gemm_tiled"), sample("softmax"))
	for _, f := range Figures() {
		var drawn []string
		for _, theme := range []figure.Theme{figure.Light, figure.Dark, figure.Light} {
			picture, err := f.Draw(s, figure.Look{Format: "svg", Theme: theme})
			if err != nil {
				t.Fatalf("%s: %v", f.Name, err)
			}
			drawn = append(drawn, string(picture))
		}
		if drawn[0] == drawn[1] || drawn[0] != drawn[2] {
			t.Errorf("%s: the themes are alike, or a picture is not", f.Name)
		}
	}
	for _, r := range s.Energies() {
		if !r.SystemPct.Known || r.Missing != "" {
			t.Errorf("%s: no energy: %s", r.Kernel, r.Missing)
		}
	}
	for _, r := range s.Perf() {
		if !r.Est.Known || r.Est.X < 0 || r.Est.X > r.High.X {
			t.Errorf("%s: slowdown %s of %s (%s)", r.Kernel, r.Est, r.High, r.Missing)
		}
		// A unit's instructions begin two cycles apart, and take one more at most.
		if !r.Slowed.Known || r.Slowed.X <= 0 || r.Slowed.X > 0.5 {
			t.Errorf("%s: simulated slowdown %s", r.Kernel, r.Slowed)
		}
	}
}

// TestOneGPU: an SM has as many CTAs as fit, and the model's number of SMs.
func TestOneGPU(t *testing.T) {
	g, err := gpu.Get("titan-v")
	if err != nil {
		t.Fatal(err)
	}
	few, many := options(), options()
	many.SMs = 80
	rows := fmt.Sprint(watched(t, few, 1, false, sample("conv_direct")).Kernels[0].Adds.Counts)
	if rows == fmt.Sprint(watched(t, many, 1, false, sample("conv_direct")).Kernels[0].Adds.Counts) {
		t.Errorf("%s: tables of 3 SMs give what those of 80 do", g.Name)
	}
}
