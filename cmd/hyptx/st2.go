package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/emulator"
	"hyptx/internal/adder"
	"hyptx/internal/figure"
	"hyptx/internal/gpu"
	"hyptx/internal/manifest"
	"hyptx/internal/number"
	"hyptx/internal/predict"
	"hyptx/internal/roofline"
	"hyptx/internal/st2"
)

// hyptx st2: speculative adders. A program is executed in full, once for all designs, with
// its additions watched; then it is predicted what time and energy it takes, which is
// another run, of its slice. A folder gets the tables and pictures of all programs
// together, since the means over kernels are what a design is judged by.

// st2Flags are the flags of hyptx st2.
type st2Flags struct {
	bare   manifest.Flags
	kernel string
	folderFlags
	gpu           string
	update, intra []string
	arbitration   []string
	order         string
	recompute     string
	intWidth      string
	code          string
	compares      bool
	noPrediction  bool
	failFast      bool
	pcShift       int
	threads       []int64
	seeds         []int64
	model         adder.Options
	inputs        []analysis.Input
	suite         st2.Suite
}

var _ = register((*app).st2Command)

func (a *app) st2Command() *cobra.Command {
	f := st2Flags{model: adder.DefaultOptions()}
	c := &cobra.Command{
		Use:   "st2 {MANIFEST.json | FILE.ptx}...",
		Short: "Say how speculative adders would fare in a program (ST²)",
		Long: "Say how often speculative adders would mispredict carries in a program's additions,\n" +
			"what that costs in time, and what it saves in energy: the designs of the paper on\n" +
			"ST² (DAC 2021), and any combination of their parts. All additions are emulated; all\n" +
			"designs see them in one run. With -o a folder gets st2_designs.csv, st2_energy.csv,\n" +
			"st2_perf.csv, st2_pc.csv, st2_mix.csv and st2_values.csv, and with --plot the paper's\n" +
			"figures 1 to 3 and 5 to 7 (4 is a drawing of the circuit).\n\n" +
			"A design's name joins parts by +: one of " + strings.Join(adder.Bases(), ", ") + ";\n" +
			"for Prev also Gtid, Ltid (an entry for each thread, each lane), FullPC, ModPCk, XorPCk\n" +
			"(for each instruction, by k bits of its number, by their exclusive or); Peek.",
		Example: "  hyptx st2 net.json\n" +
			"  hyptx st2 ptx-samples/benchmarks/*.json -o out --plot png --theme dark\n" +
			"  hyptx st2 k.ptx --grid 80 --block 256 --design Ltid+Prev+ModPC4+Peek,Prev+XorPC3 --slice-width 4,8,16\n" +
			"  hyptx st2 net.json --crf-arbitration none,port,row,lane --seed 1,2,3,4,5 --no-prediction\n" +
			"  hyptx st2 pathfinder.json -o out --thread 100 --plot svg",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeFiles("ptx", "json", "gz"),
		RunE:              func(c *cobra.Command, args []string) error { return a.st2(c.Context(), args, &f) },
	}
	fl := c.Flags()
	f.addFolder(c, "the tables", "a table is shown")
	fl.StringVar(&f.gpu, "gpu", "titan-v", "the GPU whose SMs, time and energy are meant, by `name` or file")
	complete(c, "gpu", gpu.Names)
	fl.StringSliceVar(&f.model.Designs, "design", nil, "designs, a `list`; without it those of the paper and its comparators")
	complete(c, "design", adder.Paper)
	fl.IntSliceVar(&f.model.Widths, "slice-width", f.model.Widths, "`bits` of a slice: 2, 4, 8, 16, 32; the first is the one of energies and of what is counted by instruction")
	listOf(c, &f.update, "update", "when histories learn: always, onmiss", adder.Always, adder.OnMiss)
	listOf(c, &f.intra, "intra-warp", "how lanes that share an entry see it: sequential, parallel", adder.Sequential)
	listOf(c, &f.arbitration, "crf-arbitration", "which writes to the carry register file collide: ideal, none, port, row, lane", adder.Port)
	fl.Int64SliceVar(&f.seeds, "seed", []int64{1, 2, 3}, "seeds of the lots by which collisions are settled, a `list`")
	choose(c, &f.order, "order", string(adder.RoundRobin), "the order of the warps of an SM: round-robin, or emulated, one after the other", string(adder.RoundRobin), string(adder.Emulated))
	fl.IntVar(&f.model.Resident, "resident", 0, "CTAs that an SM has at a time, a `number`; 0 for as many as fit")
	atLeast(c, "resident", &f.model.Resident, 0)
	choose(c, &f.recompute, "recompute", "all-higher", "what computes again behind a wrong slice: all-higher, or untrusted, without those that peeking told", "all-higher", "untrusted")
	choose(c, &f.intWidth, "int-width", "native", "bits of the adders of integers: native, as many as what is added has, 64, or 32, which add 64 in two halves as GPUs do", "native", "32", "64")
	choose(c, &f.code, "code", "ptx", "whose additions: those of the PTX, or those that the estimated machine code keeps, on adders of 32 bits unless --int-width 64 says otherwise", "ptx", "machine")
	fl.BoolVar(&f.compares, "compares", false, "watch the subtractions of setp, min and max of integers, too")
	fl.IntVar(&f.pcShift, "pc-shift", 0, "how far the number of an instruction is shifted left for indices, in `bits`: 3 if it takes 8 bytes")
	between(c, "pc-shift", &f.pcShift, 0, 8)
	fl.Int64SliceVar(&f.threads, "thread", []int64{0}, fmt.Sprintf("threads whose results go to st2_values.csv, a `list` of their numbers in the grid; of a launch the first %d of each SM", adder.MostValues))
	fl.BoolVar(&f.noPrediction, "no-prediction", false, "no time and no energy: the second run is left out")
	fl.StringVar(&f.kernel, "kernel", "", "only this kernel of a bare .ptx file, by its PTX, C++ or base `name`")
	addFailFast(c, &f.failFast)
	addBare(c, &f.bare)
	a.limits.add(c)
	return c
}

// listOf adds a flag that takes a list of words.
func listOf[T ~string](c *cobra.Command, p *[]string, flag, usage string, value ...T) {
	for _, v := range value {
		*p = append(*p, string(v))
	}
	c.Flags().StringSliceVar(p, flag, *p, usage+", a `list`")
}

// st2 runs the command.
func (a *app) st2(ctx context.Context, args []string, f *st2Flags) error {
	devices, err := f.prepare()
	if err != nil {
		return err
	}
	outputs, err := f.outputs()
	if err != nil {
		return err
	}
	if err := a.checkOutputs(args, outputs...); err != nil {
		return err
	}
	var failed error
	for _, arg := range args {
		if err := a.st2Program(ctx, arg, devices, f); err != nil {
			failed = errors.Join(failed, about(arg, err))
		}
		if ctx.Err() != nil {
			break
		}
	}
	if len(f.suite.Kernels) == 0 {
		return failed
	}
	if _, err := a.writeOutputs(outputs); err != nil {
		failed = errors.Join(failed, err)
	}
	if f.folder == "" {
		a.showDesigns(f)
	} else {
		a.noteThreads(f)
	}
	return failed
}

// prepare makes the model from the flags.
func (f *st2Flags) prepare() ([]*roofline.Device, error) {
	devices, err := roofline.Devices([]string{f.gpu})
	if err != nil {
		return nil, err
	}
	if devices[0].Spec == nil {
		return nil, usagef("--gpu %s: it is known by its rates alone", f.gpu)
	}
	g := devices[0].Spec
	sms, err := gpu.Need(g, "sms", g.SMs)
	if err != nil {
		return nil, err
	}
	o := &f.model
	if o.Designs != nil && len(o.Designs) == 0 { // given, and not left out
		return nil, usagef("--design: an empty list")
	}
	o.SMs, o.Order, o.Untrusted, o.PCShift = int(sms), adder.Order(f.order), f.recompute == "untrusted", uint(f.pcShift)
	for _, list := range []struct {
		flag string
		from []string
		of   []string
	}{
		{"update", f.update, []string{string(adder.Always), string(adder.OnMiss)}},
		{"intra-warp", f.intra, []string{string(adder.Sequential), string(adder.Parallel)}},
		{"crf-arbitration", f.arbitration, []string{string(adder.Ideal), string(adder.None), string(adder.Port), string(adder.Row), string(adder.Lane)}},
	} {
		if len(list.from) == 0 {
			return nil, usagef("--%s: an empty list", list.flag)
		}
		for i, word := range list.from {
			if !slices.Contains(list.of, word) || slices.Contains(list.from[:i], word) {
				return nil, usagef("--%s %s: must be a list of different ones of %s", list.flag, word, or(list.of))
			}
		}
	}
	o.Updates, o.Intras, o.Arbitrations = words[adder.Update](f.update), words[adder.Intra](f.intra), words[adder.Arbitration](f.arbitration)
	if f.code == "machine" && f.intWidth == "native" {
		f.intWidth = "32" // those that machines have
	}
	o.Seeds, o.Threads, o.PerPC = nil, nil, f.folder != ""
	for i, s := range f.seeds {
		if slices.Contains(f.seeds[:i], s) {
			return nil, usagef("--seed %d is asked for twice", s)
		}
		o.Seeds = append(o.Seeds, uint64(s))
	}
	for i, t := range f.threads {
		if t < 0 {
			return nil, usagef("--thread %d: must not be negative", t)
		}
		if slices.Contains(f.threads[:i], t) {
			return nil, usagef("--thread %d is asked for twice", t)
		}
		if f.folder != "" {
			o.Threads = append(o.Threads, uint64(t))
		}
	}
	m, err := adder.NewModel(*o)
	if err != nil {
		return nil, usageError{err}
	}
	f.suite = st2.Suite{Model: m, GPU: g, Code: f.code, IntWidth: f.intWidth}
	return devices, nil
}

// intBits are the bits of adders of integers by the words of --int-width.
var intBits = map[string]int{"native": 0, "32": 32, "64": 64}

// words makes words of a flag those of the library.
func words[T ~string](list []string) (of []T) {
	for _, s := range list {
		of = append(of, T(s))
	}
	return of
}

// outputs are the files of the folder, which is made.
func (f *st2Flags) outputs() (list []*output, err error) {
	if err := f.checkFolder(); err != nil || f.folder == "" {
		return nil, err
	}
	s := &f.suite
	for name, rows := range map[string]func() any{
		"designs": func() any { return s.Designs() }, "energy": func() any { return s.Energies() }, "perf": func() any { return s.Perf() },
		"pc": func() any { return s.PCs() }, "mix": func() any { return s.Mix() }, "values": func() any { return s.Values() },
	} {
		list = append(list, rowsTo("-o", f.in("st2_"+name+".csv"), &f.inputs, rows))
	}
	for _, of := range st2.Figures() {
		if f.draws() {
			list = append(list, f.picture(of.Name, func(look figure.Look) ([]byte, error) { return of.Draw(s, look) }))
		}
	}
	return list, nil
}

// st2Program executes a program, and predicts its time and energy.
func (a *app) st2Program(ctx context.Context, arg string, devices []*roofline.Device, f *st2Flags) error {
	src, err := a.read(arg)
	if err != nil {
		return err
	}
	o := a.options(analysis.Full, &programFlags{kernel: f.kernel, failFast: f.failFast})
	o.Watching = &analysis.Watching{Model: f.suite.Model, GPU: f.suite.GPU, Heard: f.suite.Heard, Failed: f.suite.Failed,
		Rules: emulator.Adds{On: true, IntBits: intBits[f.intWidth], Compares: f.compares}, Machine: f.code == "machine"}
	sessions, err := a.openSource(src, f.bare, o)
	if err != nil {
		return err
	}
	f.inputs = append(f.inputs, sessions[0].Inputs...)
	if err := a.checkRead(sessions); err != nil {
		return err
	}
	var failed error
	var ran []*analysis.Session
	for _, s := range sessions {
		err := s.Execute(ctx)
		ran = append(ran, s)
		a.noteForgiven(s)
		failed = errors.Join(failed, err)
		if err != nil && (f.failFast || ctx.Err() != nil) {
			break
		}
	}
	a.noteAssumed(ran...)
	if f.noPrediction {
		return failed
	}
	if failed != nil && (f.failFast || ctx.Err() != nil) {
		f.suite.Predicted(sessions[0].Manifest.Name, nil)
		return failed
	}
	o.Watching = nil
	if err := a.st2Times(ctx, devices, f, sessions[0].Manifest.Name, o, func(o analysis.Options) ([]*analysis.Session, error) { return a.openSource(src, f.bare, o) }); err != nil && failed == nil {
		failed = fmt.Errorf("time and energy: %w", err)
	}
	return failed
}

// st2Times predicts a program's time and energy, and what second cycles cost: that is another
// simulation.
func (a *app) st2Times(ctx context.Context, devices []*roofline.Device, f *st2Flags, program string, o analysis.Options, open func(analysis.Options) ([]*analysis.Session, error)) error {
	o.OverTime = true // which says what kinds of instructions were issued
	p, err := predict.Run(ctx, devices, o, open)
	f.suite.Predicted(program, p)
	if err != nil {
		return err
	}
	slowed := f.suite.Slowed(program)
	if slowed == nil {
		return nil
	}
	o.OverTime = false
	again, err := predict.Again(ctx, devices, slowed, o, open)
	if again != nil {
		f.suite.Stalled(again)
	}
	return err
}

// showDesigns prints how designs fare in the mean over kernels, or in the only kernel.
func (a *app) showDesigns(f *st2Flags) {
	s := sheet{spare: []string{"right %", "stalled %"}, more: "-o FOLDER writes all"}
	s.add("design", "update", "lanes", "ports", "bits", "missed %", "again", "right %", "stalled %")
	kernel := st2.Mean
	if len(f.suite.Kernels) == 1 {
		kernel = f.suite.Kernels[0].Name
	}
	seen := map[[5]string]bool{}
	for _, r := range f.suite.Designs() {
		key := [5]string{r.Design, r.Update, r.IntraWarp, r.Arbitration + r.Seed.String(), fmt.Sprint(r.Width)}
		if r.Kernel != kernel || r.Type != "all" || seen[key] {
			continue
		}
		seen[key] = true
		s.add(r.Design, r.Update, r.IntraWarp, strings.TrimSpace(r.Arbitration+" "+r.Seed.String()), fmt.Sprint(r.Width),
			digits(hundred(r.Rate), "%.2f"), r.PerMiss.Fixed(2), digits(hundred(r.Match), "%.2f"), digits(hundred(r.StallRate), "%.2f"))
	}
	a.sayFolded("%s of %s: additions missed, slices that compute again for each of them, carries that are right, additions of warps stalled%s",
		kernel, plural(len(f.suite.Kernels), "kernel"), s.common("lanes", "lanes ", "ports", "ports ", "bits", "bits of a slice: "))
	s.print(a.text, a.columns())
	a.st2Savings(f)
}

// common drops columns that say the same in all rows, and returns what they say behind a
// word of theirs: pairs of a heading and that word.
func (s *sheet) common(pairs ...string) (text string) {
	for i := 0; i < len(pairs); i += 2 {
		c := slices.Index(s.rows[0], pairs[i])
		if len(s.rows) < 2 || slices.ContainsFunc(s.rows[1:], func(row []string) bool { return row[c] != s.rows[1][c] }) {
			continue
		}
		text += "; " + pairs[i+1] + s.rows[1][c]
		s.drop(pairs[i])
	}
	return text
}

// st2Savings prints what the chosen design saves and costs.
func (a *app) st2Savings(f *st2Flags) {
	energies, perf := f.suite.Energies(), f.suite.Perf()
	e, p := energies[len(energies)-1], perf[len(perf)-1]
	const bits = 8 // of a slice, as the paper builds it
	if f.model.Widths[0] != bits || !e.Net.Known {
		return // what the paper says is of another design
	}
	if e.SystemPct.Known {
		a.sayFolded("with the %.0f %% of an adder's energy that the paper gives, %s saves %s %% of the energy of the system (ALUs and FPUs have %s of it), %s %% of the chip's;"+
			" by our reconstruction %s %% of the system's, level shifters counted, which take power at all times: small launches leave most SMs idle",
			100*adder.PublishedSaving, adder.Chosen, e.SystemPct.Fixed(1), percentOf(e.Share), e.ChipPct.Fixed(1), e.ModelPct.Fixed(1))
	}
	if p.Est.Known {
		a.sayFolded("it is slower by %s where only what the busiest unit has no time left for counts, by %s if no second cycle is hidden, both on SMs that have all their part%s",
			percentOf(p.Est), percentOf(p.High), simulatedToo(p.Slowed))
	}
	stored := adder.TitanV.Storage(bits)
	a.sayFolded("on a TITAN V, as in the paper, %s stores %d KB in carry register files and %d KB in flip-flops, and level shifters take %.1f mm2;"+
		" a read of the file is %.1f %% of a warp's addition", adder.Chosen, stored.CRF/1024, stored.DFF/1024, adder.TitanV.ShifterMM2(), 100*adder.CRFShare(bits, 1))
}

// simulatedToo says what the timing simulator has, if it has anything.
func simulatedToo(slowed number.Real) string {
	if !slowed.Known {
		return ""
	}
	return "; simulated by " + percentOf(slowed)
}

// noteThreads tells of threads that nobody has, for no kernel is so large, or they add nothing; and where
// not all that they add may be kept.
func (a *app) noteThreads(f *st2Flags) {
	seen, kept, cut := map[uint64]bool{}, map[string]int{}, ""
	for _, r := range f.suite.Values() {
		seen[r.Thread] = true
		launch := fmt.Sprintf("launch %d of %s", r.Launch, r.Kernel)
		if kept[launch]++; kept[launch] == adder.MostValues && cut == "" {
			cut = launch
		}
	}
	if cut != "" {
		a.note("st2_values.csv has at most the first %d results of an SM in a launch: %s has as many", adder.MostValues, cut)
	}
	for _, n := range f.model.Threads {
		if !seen[n] {
			a.note("--thread %d: no kernel has additions of that thread", n)
		}
	}
}

func percentOf(x number.Real) string {
	return digits(hundred(x), "%.2f %%")
}

// hundred is a share in percent.
func hundred(x number.Real) number.Real { return number.Real{X: 100 * x.X, Known: x.Known} }

// digits writes a number, "" if it is unknown.
func digits(x number.Real, format string) string {
	if !x.Known {
		return ""
	}
	return fmt.Sprintf(format, x.X)
}
