package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/internal/figure"
	"hyptx/internal/gpu"
	"hyptx/internal/reuse"
	"hyptx/internal/scalemodel"
	"hyptx/internal/table"
)

// hyptx scalemodel mrc: the miss-rate curve. The program is emulated as in mode memory,
// its requests go through the L1s of a GPU, and what these ask of the L2 is seen by a
// pass that gives the misses of every capacity (package reuse).

// scaleCurveFlags are those of hyptx scalemodel mrc.
type scaleCurveFlags struct {
	gpu, out, method, cliff string
	sms                     []int
	llc                     []int64
	ways                    int
	every                   int64
	seed                    uint64
	oneKernel
	picture pictureFlags
}

func (a *app) scalemodelMRCCommand() *cobra.Command {
	var f scaleCurveFlags
	c := &cobra.Command{
		Use: "mrc MANIFEST.json|KERNEL.ptx... --gpu NAME", Short: "Miss-rate curves of programs' last-level caches", Args: cobra.MinimumNArgs(1),
		Long: `Count how often last-level caches of many capacities miss, in one pass over the traffic that programs make. CTAs go round robin over the
SMs of --gpu, as many as fit; warps take turns; each SM's L1 answers what it has; and what is left, in sectors of 32 bytes of lines
of 128 bytes, reads and writes, is what the last-level caches see. They keep their contents from launch to launch.

--sms takes scale models of the GPU (scalemodel config), each with its SMs, L1s and capacity: the curve that scalemodel predict reads.

 exact      stack distances: what LRU caches of any capacity hold (default); with --ways, caches of sets, one by one
 nugteren   caches of sets in which what misses comes 100 accesses later and misses again until then (HPCA 2014)
 statstack  LRU, estimated from reuse distances (Eklov, Hagersten 2010)
 statcache  random replacement, likewise (Berg, Hagersten 2004)

--every 100 sees one of 100 lines (exact) or accesses (statstack, statcache), chosen by --seed, and prints the standard error.`,
		Example: "  hyptx scalemodel mrc ptx-samples/kernels/gemm_tiled.json --gpu gv100\n  hyptx scalemodel mrc net.json --gpu a100 --sms 8,16,32,64 -o mrc.csv\n  hyptx scalemodel mrc net.json --gpu gv100 --llc 1048576,2097152,4194304 --method statstack --every 100 --plot mrc.svg",
		RunE:    func(c *cobra.Command, args []string) error { return a.missCurves(c.Context(), args, &f) },
	}
	fl := c.Flags()
	fl.StringVar(&f.gpu, "gpu", "", "the GPU whose SMs and L1s come before the last-level cache: a `name` or a file *.json")
	fl.IntSliceVar(&f.sms, "sms", nil, "scale models of these `numbers` of SMs, each with its part of the L2, as 8,16,32")
	fl.Int64SliceVar(&f.llc, "llc", nil, "capacities in `bytes`, ascending; default the GPU's L2 halved six times and doubled three times")
	choose(c, &f.method, "method", string(reuse.Exact), "how misses are found: exact, nugteren, statstack or statcache", reuse.Methods...)
	detectorFlag(c, &f.cliff)
	fl.IntVar(&f.ways, "ways", 0, "lines of a set, a `number`, of caches with sets; 0: any line anywhere")
	atLeast(c, "ways", &f.ways, 0)
	fl.Int64Var(&f.every, "every", 1, "see one of so many, a `number`")
	atLeast(c, "every", &f.every, 1)
	fl.Uint64Var(&f.seed, "seed", 1, "which ones a sample sees, a `number`")
	fl.StringVarP(&f.out, "output", "o", "", "write mrc.csv to this `file` (- for standard output)")
	f.picture.add(c, "the curve of one program")
	f.oneKernel.add(a, c)
	complete(c, "gpu", gpu.Names)
	c.ValidArgsFunction = completeFiles("json", "ptx")
	return c
}

// missCurves runs the command. All sizes listen to one emulation: what warps ask for does
// not depend on the GPU, only what its L1s leave of it does.
func (a *app) missCurves(ctx context.Context, args []string, f *scaleCurveFlags) error {
	if err := refuse(refusal{f.gpu == "", "--gpu says whose SMs and L1s come before the last-level cache, as --gpu gv100"},
		refusal{f.sms != nil && f.llc != nil, "--sms and --llc: scale models have their own capacities; choose one"}); err != nil {
		return err
	}
	if f.method == string(reuse.Nugteren) && f.ways == 0 {
		f.ways = nugterenWays
	}
	var rows []*scalemodel.CurveRow
	var inputs []analysis.Input
	outputs := []*output{rowsTo("-o", f.out, &inputs, func() any { return rows }), f.picture.output(func(look figure.Look) ([]byte, error) {
		if len(args) > 1 {
			return nil, errors.New("a picture is of one program")
		}
		return scalemodel.PlotCurve(rows, scalemodel.Detector(f.cliff), look)
	})}
	if err := a.checkOutputs(append(gpuFiles(f.gpu), args...), outputs...); err != nil {
		return err
	}
	gpus, bytes, err := f.machines()
	if err != nil {
		return err
	}
	var failed error
	for _, arg := range args {
		of, err := a.curvesOf(ctx, arg, f, gpus, bytes, &inputs)
		if rows, failed = append(rows, of...), errors.Join(failed, err); isUsage(err) || ctx.Err() != nil {
			return failed
		}
	}
	if len(rows) == 0 {
		return failed
	}
	return errors.Join(failed, a.finishRows(f.table(rows), f.out, outputs))
}

// nugterenWays are the paper's: 64 lines a set of its last-level cache (table III).
const nugterenWays = 64

// machines are the GPUs whose streams are watched, and the capacities, none for their own.
func (f *scaleCurveFlags) machines() (gpus []*gpu.GPU, bytes []int64, err error) {
	g, err := gpu.Get(f.gpu)
	if err != nil {
		return nil, nil, err
	}
	for _, n := range f.sms {
		scaled, _, err := scalemodel.GPU(g, n)
		if err != nil {
			return nil, nil, err
		}
		gpus = append(gpus, scaled)
	}
	if f.sms != nil {
		return gpus, nil, nil
	}
	for i, bytes := range f.llc {
		if bytes <= 0 || i > 0 && bytes <= f.llc[i-1] {
			return nil, nil, usagef("--llc: capacities must be positive and ascend; %d does not", bytes)
		}
	}
	if f.llc != nil {
		return []*gpu.GPU{g}, f.llc, nil
	}
	own, err := gpu.Need(g, "l2.bytes", g.L2.Bytes)
	// Capacities double, since a cliff is defined between such; the range is ours, from
	// what a scale model of one SM has to what no GPU has yet.
	const halved, doubled = 6, 3
	for shift := -halved; shift <= doubled; shift++ {
		bytes = append(bytes, int64(own)<<doubled>>(doubled-shift))
	}
	return []*gpu.GPU{g}, bytes, err
}

// curvesOf are the rows of one program. It ends with its first launch that fails: a curve
// without some launches would be that of another program. A launch that the GPU cannot hold
// is one that nobody has heard, and an error for the same reason.
func (a *app) curvesOf(ctx context.Context, arg string, f *scaleCurveFlags, gpus []*gpu.GPU, bytes []int64, inputs *[]analysis.Input) ([]*scalemodel.CurveRow, error) {
	curves := scalemodel.NewCurves(reuse.Options{Method: reuse.Method(f.method), Every: f.every, Seed: f.seed, Ways: f.ways}, bytes)
	o := a.options(analysis.Memory, &programFlags{kernel: f.kernel, failFast: true})
	o.GPUs, o.WatchL2, o.WatchL2Only = gpus, curves.Watch, true
	s, err := a.openOne(arg, f.bare, o)
	if err != nil {
		return nil, err
	}
	*inputs = append(*inputs, s.Inputs...)
	p, err := s.Profile(ctx)
	a.noteAssumed(s)
	if err != nil {
		return nil, err
	}
	instructions := uint64(0)
	for _, r := range p.Rows {
		if r.Kind == analysis.KindLaunch {
			instructions += r.ThreadInstructionsPredOn.N
		}
	}
	var rows []*scalemodel.CurveRow
	for i, g := range gpus {
		for _, lp := range p.On(g).Launches {
			if err := lp.Unfit(); err != nil {
				return nil, fmt.Errorf("%s: %w", g.Label(), err)
			}
		}
		size := 0
		if f.sms != nil {
			size = f.sms[i]
		}
		of, err := curves.Rows(s.Manifest.Name, g, size, instructions)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", arg, err)
		}
		for _, r := range of {
			r.Assumed = scalemodel.AssumedInputs(p)
		}
		rows = append(rows, of...)
	}
	return rows, nil
}

// table shows the rows, with a mark at cliffs.
func (f *scaleCurveFlags) table(rows []*scalemodel.CurveRow) *sheet {
	t := &sheet{spare: []string{"accesses", "cold"}, more: "-o has them"}
	t.add("program", "LLC MiB", "SMs", "accesses", "cold", "misses", "miss rate", "MPKI", "")
	for one := range table.Runs(rows, func(a, b *scalemodel.CurveRow) bool { return a.Bench == b.Bench }) {
		cliff := scalemodel.CurveCliff(one, scalemodel.Detector(f.cliff))
		for i, r := range one {
			remark, sms := "", ""
			if i == cliff {
				remark = "cliff"
			}
			if r.ErrPct.Known {
				remark = strings.TrimSpace(remark + " +-" + figures(r.ErrPct.X, 2) + " %")
			}
			if r.Size > 0 {
				sms = fmt.Sprint(r.Size)
			}
			t.add(r.Bench, figures(float64(r.LLCBytes)/(1<<20), 3), sms, fmt.Sprint(r.Accesses), figures(r.Cold, 0), figures(r.Misses, 0), figures(r.MissRate, 4), figures(r.MPKI, 5), remark)
		}
	}
	return t
}
