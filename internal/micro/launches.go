package micro

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"hyptx/analysis"
	"hyptx/internal/cache"
	"hyptx/internal/csvfile"
	"hyptx/internal/gpu"
	"hyptx/internal/manifest"
	"hyptx/internal/source"
	"hyptx/power"
)

// CTAs of a micro-benchmark are alike, so that a few say what all do: of each launch
// that rows name as many are emulated as the folder says, and their events are
// multiplied. DRAM is what hardware counted, since what of a grid stays in the L2 no
// part of it shows.

// steady are benchmarks whose operands soon stop changing. At one utilisation of the
// same pipe mixbench-cuda-alt draws 134 W with floats and 230 W with integers on a V100
// at 1380 MHz; mixbench-cuda-ro, whose operands change, 166 and 186 W.
var steady = []string{"mixbench-cuda-alt.json float_"}

// launchRow is a row of a table of launches.
type launchRow struct {
	board, manifest, launch     string
	mhz, us, watts, dram, scale float64
}

// readLaunches reads a table of launches; rows without a manifest are left out.
func (f *Folder) readLaunches(ctx context.Context, t *csvfile.Table) (runs []*power.MicroRun, left int, err error) {
	of := map[string][]*launchRow{} // by board and manifest
	var keys []string
	for line, err := range t.Rows() {
		if err != nil {
			return nil, 0, t.At(line.Line, err)
		}
		n := &numbers{table: t, cells: line.Cells}
		r := &launchRow{board: n.text("gpu"), manifest: n.text("manifest"), launch: n.text("launch"), mhz: n.of("sm_mhz"), us: n.of("time_us"),
			watts: n.of("power_w"), dram: n.of("dram_active"), scale: n.of("scale")}
		if n.err != nil {
			return nil, 0, t.At(line.Line, n.err)
		}
		if r.manifest == "" || power.BoardGPUs[r.board] == "" || r.us <= 0 || r.watts <= 0 || r.mhz <= 0 || r.scale <= 0 {
			left++
			continue
		}
		key := r.board + "\n" + r.manifest
		if of[key] == nil {
			keys = append(keys, key)
		}
		of[key] = append(of[key], r)
	}
	for _, key := range keys {
		list, err := f.count(ctx, of[key])
		if err != nil {
			return nil, 0, err
		}
		runs = append(runs, list...)
	}
	return runs, left, nil
}

// count emulates the launches of a manifest for one board.
func (f *Folder) count(ctx context.Context, rows []*launchRow) (runs []*power.MicroRun, err error) {
	g, err := gpu.Get(power.BoardGPUs[rows[0].board])
	if err != nil {
		return nil, err
	}
	sms, err := gpu.Need(g, "sms", g.SMs)
	if err != nil {
		return nil, err
	}
	bandwidth, err := gpu.Need(g, "dram.bandwidth_gb_per_s", g.DRAM.BandwidthGBPerS)
	if err != nil {
		return nil, err
	}
	f.Note("%s on %s", rows[0].manifest, rows[0].board)
	launches, parts, err := f.emulate(ctx, rows[0].manifest, g)
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		i := slices.IndexFunc(launches, func(l *power.Launch) bool { return l.Label == r.launch })
		if i < 0 {
			return nil, fmt.Errorf("%s has no launch %q", r.manifest, r.launch)
		}
		perS := 1e6 * r.scale / r.us
		run := &power.MicroRun{Board: r.board, Benchmark: filepath.Base(r.manifest) + " " + r.launch, ClockMHz: r.mhz, SMs: float64(sms), PowerW: r.watts}
		run.Steady = slices.ContainsFunc(steady, func(s string) bool { return strings.HasPrefix(run.Benchmark, s) })
		run.CountLaunch(launches[i], perS*parts[r.launch])
		run.Rates[power.DRAMRead] = r.dram * bandwidth * 1e9 / cache.SectorBytes
		runs = append(runs, run)
	}
	return runs, nil
}

// emulate runs the launches of a manifest with grids cut to some CTAs; parts says by
// label by what their events are to be multiplied.
func (f *Folder) emulate(ctx context.Context, name string, g *gpu.GPU) (launches []*power.Launch, parts map[string]float64, err error) {
	src, err := source.Read(filepath.Join(f.Dir, filepath.FromSlash(name)), nil)
	if err != nil {
		return nil, nil, err
	}
	m, err := manifest.ParseWithin(src.Name, src.Text, f.Options.Restrict)
	if err != nil {
		return nil, nil, err
	}
	parts = map[string]float64{}
	for step := range m.All() {
		if l := step.Launch; l != nil {
			ctas := l.Grid[0] * l.Grid[1] * l.Grid[2]
			if n := min(f.CTAs, ctas); l.Grid[1]*l.Grid[2] == 1 {
				l.Grid[0] = n
			}
			parts[l.Label] = float64(ctas) / float64(l.Grid[0]*l.Grid[1]*l.Grid[2])
		}
	}
	o := f.Options
	o.Mode, o.GPUs, o.LongestWarp = analysis.Memory, []*gpu.GPU{g}, true
	s, err := analysis.NewSession(m, o)
	if err != nil {
		return nil, nil, err
	}
	p, err := analysis.ProfileAll(ctx, []*analysis.Session{s})
	if err != nil {
		return nil, nil, err
	}
	for _, lp := range p.Launches {
		if lp.Error != "" {
			return nil, nil, fmt.Errorf("%s: launch %d: %s", name, lp.Number, lp.Error)
		}
	}
	launches, err = power.FromProfile(p.On(g), power.CountsMachine, power.Paper)
	return launches, parts, err
}
