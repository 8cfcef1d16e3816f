package micro

import (
	"fmt"
	"slices"
	"strings"

	"hyptx/internal/cache"
	"hyptx/internal/csvfile"
	"hyptx/power"
)

// Utilisations say what share of a unit's peak a benchmark reached, at one pair of
// clocks; the table repeats them at the others. A benchmark that the DRAM holds up
// moves as many bytes a second at any clock of the SMs, and the others do as much a
// cycle, as far as that goes: of the former only runs near the recorded clock are
// taken.

// peaks of a board are what utilisations are shares of: threads a cycle and SM.
type peaks struct {
	name            string
	sms             float64
	fp32, int, fp64 float64
	sfu             float64 // 0: the table's column is not a share of it
	gbPerS          float64 // of DRAM at the recorded clock
}

// utilised are the boards of the table, with the rates of CUDA C Programming Guide
// 8.0 and CUDA C++ Programming Guide 12 (throughput of native arithmetic instructions,
// compute capabilities 3.5, 5.2, 6.1, 7.0) and the SMs and bandwidths of NVIDIA's
// specifications of the boards, at the memory clock of the rows. The K40c's column of
// special functions is below 0.01 where these are all that runs, so that it says
// nothing.
var utilised = []peaks{
	{"Tesla K40c", 15, 192, 160, 64, 0, 288},
	{"GTX Titan X", 24, 128, 128, 4, 32, 336.5},
	{"GTX 980", 16, 128, 128, 4, 32, 224.3},
	{"Titan Xp", 30, 128, 128, 4, 32, 547.6},
	{"Titan V", 80, 64, 64, 32, 16, 652.8},
}

// Which rows are taken.
const (
	mostUtilised = 1.1  // beyond that the counters were wrong
	dramBound    = 0.3  // share of the DRAM's peak from which a benchmark waits for it
	nearClock    = 0.85 // of the recorded clock: where such a benchmark's shares still hold
	streams      = 0.5  // share of the DRAM's peak from which it is all that passes the L2
)

// utilisedRun is a row of the table.
type utilisedRun struct {
	board                   *peaks
	mhz, atMHz, watts       float64
	fp32, int, fp64         float64
	sfu, l2, shared, dram   float64
	benchmark               string
	other, idle, impossible bool
}

// readUtilised reads a table of utilisations.
func readUtilised(t *csvfile.Table) (runs []*power.MicroRun, left int, err error) {
	var rows []*utilisedRun
	for line, err := range t.Rows() {
		if err != nil {
			return nil, 0, t.At(line.Line, err)
		}
		r, err := utilisedRow(t, line.Cells)
		if err != nil {
			return nil, 0, t.At(line.Line, err)
		}
		rows = append(rows, r)
	}
	l2 := l2Peaks(rows)
	for _, r := range rows {
		if r.usable() {
			runs = append(runs, r.run(l2[r.board]))
		} else {
			left++
		}
	}
	return runs, left, nil
}

// utilisedRow reads a row.
func utilisedRow(t *csvfile.Table, cells []string) (*utilisedRun, error) {
	n := &numbers{table: t, cells: cells}
	r := &utilisedRun{mhz: n.of("core_mhz"), watts: n.of("power_w")}
	at, mem, _ := strings.Cut(n.text("utilisations_at"), "/")
	r.atMHz = n.parse("utilisations_at", at)
	r.other = n.text("mem_mhz") != mem
	i := slices.IndexFunc(utilised, func(p peaks) bool { return p.name == n.text("gpu") })
	if i < 0 {
		return nil, fmt.Errorf("gpu is %q, of which the peak rates are not known", n.text("gpu"))
	}
	r.board = &utilised[i]
	var shares []string
	sum := func(columns ...string) (x float64) {
		for _, c := range columns {
			share := n.of(c)
			shares = append(shares, n.text(c))
			r.impossible = r.impossible || share < -0.01 || share > mostUtilised
			x += max(0, share)
		}
		return x
	}
	r.fp32 = sum("util_fp32_add", "util_fp32_mul", "util_fp32_fma", "util_fp32")
	r.fp64 = sum("util_fp64_add", "util_fp64_mul", "util_fp64_fma", "util_fp64")
	r.int, r.sfu, r.l2, r.shared, r.dram = sum("util_int"), sum("util_sfu"), sum("util_l2"), sum("util_shared"), sum("util_dram")
	r.idle = r.fp32+r.fp64+r.int+r.sfu+r.l2+r.shared+r.dram+sum("util_control") == 0
	r.benchmark = strings.Join(shares, " ")
	return r, n.err
}

// usable reports whether a row's figures hold at its clocks.
func (r *utilisedRun) usable() bool {
	return !r.impossible && !r.other && r.watts > 0 && (r.dram < dramBound || r.mhz >= nearClock*r.atMHz)
}

// l2Peaks are the L2s' peak rates that utilisations are shares of, in sectors a cycle,
// which nobody recorded: where a benchmark does little but stream, what passes the
// L2 is what DRAM moves. The median over these benchmarks is taken.
func l2Peaks(rows []*utilisedRun) map[*peaks]float64 {
	at := map[*peaks][]float64{}
	for _, r := range rows {
		if r.dram > streams && r.l2 > 0 && r.mhz == r.atMHz && !r.other && !r.impossible {
			at[r.board] = append(at[r.board], r.dram*r.board.gbPerS*1e9/cache.SectorBytes/(r.l2*r.mhz*1e6))
		}
	}
	peaks := map[*peaks]float64{}
	for board, list := range at {
		slices.Sort(list)
		peaks[board] = list[len(list)/2]
	}
	return peaks
}

// Registers that instructions name as sources: a multiply-add three, others two, and
// special functions one.
const (
	sourcesFMA = 3
	sourcesInt = 2
	sourcesSFU = 1
)

// run returns the events a second of a row; l2 is the peak of the L2 in sectors a
// cycle.
func (r *utilisedRun) run(l2 float64) *power.MicroRun {
	out := &power.MicroRun{Board: r.board.name, Benchmark: r.benchmark, ClockMHz: r.mhz, SMs: r.board.sms, Idle: r.idle, Steady: !r.idle, PowerW: r.watts}
	hz := r.mhz * 1e6
	for _, u := range []struct {
		unit           power.Counter
		share, perSM   float64
		sourcesOfInstr float64
	}{
		{power.FPMul, r.fp32, r.board.fp32, sourcesFMA}, {power.DPMul, r.fp64, r.board.fp64, sourcesFMA},
		{power.Int, r.int, r.board.int, sourcesInt}, {power.Exp, r.sfu, r.board.sfu, sourcesSFU},
	} {
		out.Issue(u.unit, u.share*u.perSM*r.board.sms*hz, u.sourcesOfInstr)
	}
	out.Rates[power.SharedPass] = r.shared * r.board.sms * hz
	sectors := r.l2 * l2 * hz
	out.Rates[power.L2ReadHit] = sectors
	out.Rates[power.Flit] = sectors * flitsPerSector
	out.Rates[power.DRAMRead] = r.dram * r.board.gbPerS * 1e9 / cache.SectorBytes
	return out
}

// flitsPerSector: a sector comes in one flit of 40 bytes, and its request in another
// (spec of the power model, section 2).
const flitsPerSector = 2
