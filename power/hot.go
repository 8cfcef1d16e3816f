package power

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"hyptx/analysis"
	"hyptx/internal/number"
	"hyptx/ir/isa"
)

// Energy by instruction. A launch has a power, an instruction has none: what one
// costs depends on what the launch's caches did with its accesses and on the time of
// the whole. So the launch's dynamic energy, which is known, is handed out: what the
// instruction itself does by the energies of its events; what memory took to those
// that asked for it, by sectors or passes, or where nobody counted these to a row of its
// own; what is left to every warp instruction alike. Static, idle and constant power are
// drawn in any case, and belong to none.

// HotRow is an instruction with the dynamic energy that it takes in all launches
// of its kernel: decoding, scheduling, registers and execution, exactly as the
// model has them where PTX is charged, else in proportion; its part of the energy
// of memory, which the launch's accesses of the same space share by their sectors
// (shared memory: passes); and of what no instruction alone causes, instruction
// cache and pipeline, which warp instructions share alike. All rows of a network
// sum to its dynamic energy.
type HotRow struct {
	Network        string      `csv:"network" json:"network" doc:"which kernel, where"`
	Kernel         string      `csv:"kernel" json:"kernel" doc:"^"`
	GPU            string      `csv:"gpu" json:"gpu" doc:"^"`
	PTXLine        number.Int  `csv:"ptx_line" json:"ptx_line" doc:"place in the PTX and in the source"`
	SourceFile     string      `csv:"source_file" json:"source_file" doc:"^"`
	SourceLine     number.Int  `csv:"source_line" json:"source_line" doc:"^"`
	Text           string      `csv:"text" json:"text" doc:"the instruction and its class"`
	Class          string      `csv:"class" json:"class" doc:"^"`
	WarpExecutions uint64      `csv:"warp_executions" json:"warp_executions" doc:"warps that issued it"`
	EnergyUJ       number.Real `csv:"energy_uj" json:"energy_uj" doc:"its dynamic energy; all rows sum to that of the program"`
	MemoryUJ       number.Real `csv:"memory_uj" json:"memory_uj" doc:"the part of caches and DRAM, shared out by sectors; where these were not counted by instruction, as in mode control, it is a row of its own, of class 'memory'"`
	FetchUJ        number.Real `csv:"fetch_pipeline_uj" json:"fetch_pipeline_uj" doc:"the part of instruction cache and pipeline, shared out by warp instructions"`
	// SharePct is of the dynamic energy of all instructions that are listed or
	// not.
	SharePct number.Real `csv:"share_pct" json:"share_pct" doc:"its share"`
}

// Hottest returns the n instructions of a network with most energy in all
// launches, those without a figure left out, and the energy of each class. The
// counts are those of the PTX. An error is why ctx ended before.
func (m *Model) Hottest(ctx context.Context, launches []Timed, n int) ([]*HotRow, []*ClassRow, error) {
	rows := hotRows{places: map[analysis.Site]int{}}
	for i := range launches {
		t := &launches[i]
		a, e, err := m.estimate(t)
		if err != nil {
			continue
		}
		s := m.shares(t.Launch, a, e)
		for k, in := range t.Launch.Instrs {
			if k%lookEvery == 0 && ctx.Err() != nil {
				return nil, nil, context.Cause(ctx)
			}
			if in.Issues == 0 {
				continue
			}
			row := HotRow{PTXLine: number.Count(uint64(in.PTXLine)), SourceFile: in.SourceFile, SourceLine: in.SourceLine, Text: in.Text.String(), Class: in.Class}
			rows.of(in.Site, t.Launch, m.Chip.Name, row).add(in.Issues, s.core*m.core(in), s.of(in), s.fetch*float64(in.Issues))
		}
		if s.unshared > 0 {
			at := t.Launch.Instrs[0].Site
			at.PC = nowhere
			rows.of(at, t.Launch, m.Chip.Name, HotRow{Text: unshared, Class: "memory"}).add(0, 0, s.unshared, 0)
		}
	}
	return rows.sorted(ctx, n)
}

// unshared is the row of what caches and DRAM take for accesses whose sectors nobody counted:
// in mode control, as where the time is simulated.
const (
	unshared = "caches and DRAM, all accesses"
	nowhere  = -1
)

// hotRows are rows by their places, of no launch.
type hotRows struct {
	places map[analysis.Site]int
	list   []hotRow
}

// of returns the row of a place, as it begins.
func (h *hotRows) of(at analysis.Site, l *Launch, gpu string, begin HotRow) *HotRow {
	at.Launch = ""
	place, known := h.places[at]
	if !known {
		place = len(h.list)
		h.places[at] = place
		begin.Network, begin.Kernel, begin.GPU = at.Network, l.Demangled, gpu
		begin.EnergyUJ, begin.MemoryUJ, begin.FetchUJ = number.Ratio(0), number.Ratio(0), number.Ratio(0)
		h.list = append(h.list, hotRow{at, &begin})
	}
	return h.list[place].HotRow
}

// add adds issues by warps and energies in J.
func (r *HotRow) add(issues uint64, core, mem, fetch float64) {
	r.WarpExecutions += issues
	r.EnergyUJ.X += micro * (core + mem + fetch)
	r.MemoryUJ.X += micro * mem
	r.FetchUJ.X += micro * fetch
}

// sorted returns the n rows with most energy, and all by class.
func (h *hotRows) sorted(ctx context.Context, n int) ([]*HotRow, []*ClassRow, error) {
	rows, all := h.list, 0.0
	for _, r := range rows {
		all += r.EnergyUJ.X
	}
	if err := sortHot(ctx, rows); err != nil {
		return nil, nil, err
	}
	list := make([]*HotRow, 0, len(rows))
	for _, r := range rows {
		r.SharePct = number.Ratio(100 * r.EnergyUJ.X / max(all, 1e-300))
		list = append(list, r.HotRow)
	}
	return list[:min(n, len(list))], byClass(list), nil
}

// hotRow is a row with its place.
type hotRow struct {
	at analysis.Site
	*HotRow
}

// lookEvery is how many steps of a millionth of a second there are from a look at the
// context to the next.
const lookEvery = 1 << 12

// sortHot puts those with most energy first.
func sortHot(ctx context.Context, rows []hotRow) error {
	steps, ended := 0, false
	slices.SortFunc(rows, func(a, b hotRow) int {
		if steps++; steps%lookEvery == 0 {
			ended = ended || ctx.Err() != nil
		}
		if ended { // the rest of the sort is soon done
			return 0
		}
		return cmp.Or(cmp.Compare(b.EnergyUJ.X, a.EnergyUJ.X), cmp.Compare(a.at.Kernel, b.at.Kernel), cmp.Compare(a.at.PTXLine, b.at.PTXLine), cmp.Compare(a.at.PC, b.at.PC))
	})
	if ended {
		return context.Cause(ctx)
	}
	return nil
}

// energy returns the dynamic energy of events in J, the state's voltage applied; u is
// by what the voltage at the clock multiplies all but DRAM ([Chip.dynamic]).
func (m *Model) energy(n *counts, u float64) float64 {
	sum := 0.0
	for c, x := range n {
		switch c := Counter(c); {
		case c == Duty:
		case c.ofDRAM():
			sum += x * m.Chip.Energies.perEventJ[c]
		default:
			sum += u * x * m.Chip.Energies.perEventJ[c]
		}
	}
	return sum * m.State.VoltageRatio * m.State.VoltageRatio
}

// core returns the energy in J of what an instruction itself does by the counts
// of the PTX: decoding, scheduling, registers and execution.
func (m *Model) core(in instruction) float64 {
	var n counts
	n.addInstr(in.InstrCount, m.Rules)
	return m.energy(&n, 1)
}

// share is how a launch's dynamic energy is shared among its instructions.
type share struct {
	// joules is the energy of memory by the space that asks for it, parts the
	// sectors or passes among which it is shared.
	joules, parts [3]float64
	// core is what the energy of the instructions themselves is multiplied by:
	// the launch's time over the activities', and what is charged over the PTX.
	core float64
	// unshared is the energy in J of memory of which nobody knows who asked for how much.
	unshared float64
	// fetch is the rest in J, of each warp instruction.
	fetch float64
}

// The spaces that memory energy is shared by.
const (
	ofGlobal = iota // global, local and generic, textures: L1, L2, NoC, DRAM
	ofShared
	ofConst
)

var memoryCounters = [3][]Counter{
	ofGlobal: {TexHit, TexMiss, L1ReadHit, L1ReadMiss, L1WriteHit, L1WriteMiss, L2ReadHit, L2ReadMiss, L2WriteHit, L2WriteMiss, Flit, DRAMRead, DRAMWrite, DRAMPrecharge},
	ofShared: {SharedPass},
	ofConst:  {ConstHit, ConstMiss},
}

func (m *Model) shares(l *Launch, a *Activity, e *Estimate) *share {
	s, times, u := &share{}, stretch(a, e), m.Chip.Law.switching(a.ClockMHz)
	inCore, rest, issues := a.Counts, 0.0, 0.0
	for c, w := range e.Watts {
		if Component(c).dynamic() {
			rest += w * e.Seconds
		}
	}
	for space, counters := range memoryCounters {
		var n counts
		for _, c := range counters {
			n[c], inCore[c] = a.Counts[c], 0
		}
		s.joules[space] = times * m.energy(&n, u)
	}
	inCore[ICacheHit], inCore[ICacheMiss] = 0, 0
	ofPTX := 0.0
	for _, in := range l.Instrs {
		for space, n := range in.parts() {
			s.parts[space] += n
		}
		ofPTX += m.core(in)
		issues += float64(in.Issues)
	}
	if ofPTX > 0 {
		s.core = times * m.energy(&inCore, u) / ofPTX
		rest -= s.core * ofPTX
	}
	for space, joules := range s.joules {
		if rest -= joules; s.parts[space] == 0 {
			s.unshared += joules
		}
	}
	s.fetch = rest / max(issues, 1)
	return s
}

// of returns an instruction's part of the energy of memory in J.
func (s *share) of(in instruction) (joules float64) {
	for space, n := range in.parts() {
		if n > 0 {
			joules += s.joules[space] * n / s.parts[space]
		}
	}
	return joules
}

// parts are an instruction's sectors and passes by space.
func (in *instruction) parts() (n [3]float64) {
	space := ofGlobal
	if in.Instr.Inst.Space == isa.Const {
		space = ofConst
	}
	n[space], n[ofShared] = float64(in.Sectors.N), float64(in.SharedPasses.N)
	return n
}

// ClassRow is the dynamic energy of a network's instructions of one class.
type ClassRow struct {
	Network          string      `csv:"network" json:"network" doc:"which program, where"`
	GPU              string      `csv:"gpu" json:"gpu" doc:"^"`
	Class            string      `csv:"class" json:"class" doc:"class of instructions"`
	WarpInstructions uint64      `csv:"warp_instructions" json:"warp_instructions" doc:"sum"`
	EnergyUJ         number.Real `csv:"energy_uj" json:"energy_uj" doc:"dynamic energy"`
	// PerWarpPJ is the energy of one warp instruction, with its memory and fetch.
	PerWarpPJ number.Real `csv:"energy_per_warp_instruction_pj" json:"energy_per_warp_instruction_pj" doc:"mean"`
	SharePct  number.Real `csv:"share_pct" json:"share_pct" doc:"its share"`
}

// byClass sums instructions by class, the class with most energy first.
func byClass(list []*HotRow) []*ClassRow {
	rows := map[string]*ClassRow{}
	for _, r := range list {
		c := rows[r.Class]
		if c == nil {
			c = &ClassRow{Network: r.Network, GPU: r.GPU, Class: r.Class, EnergyUJ: number.Ratio(0), SharePct: number.Ratio(0)}
			rows[r.Class] = c
		}
		c.add(r.WarpExecutions, r.EnergyUJ.X, r.SharePct.X)
	}
	return slices.SortedFunc(maps.Values(rows), func(a, b *ClassRow) int {
		return cmp.Or(cmp.Compare(b.EnergyUJ.X, a.EnergyUJ.X), cmp.Compare(a.Class, b.Class))
	})
}

// add adds warp instructions, their energy in uJ and their share in percent.
func (c *ClassRow) add(warps uint64, uj, pct float64) {
	c.WarpInstructions += warps
	c.EnergyUJ.X += uj
	c.SharePct.X += pct
	if c.WarpInstructions > 0 {
		c.PerWarpPJ = number.Ratio(micro * c.EnergyUJ.X / float64(c.WarpInstructions))
	}
}
