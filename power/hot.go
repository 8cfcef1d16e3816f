package power

import (
	"cmp"
	"slices"

	"hyptx/analysis"
	"hyptx/ir/isa"
)

// HotRow is an instruction with the energy that it takes in all launches of its
// kernel: decoding, scheduling, registers and execution, exactly as the model
// has them, and its part of the energy of memory, which the launch's accesses
// of the same space share by the bytes that they ask for.
type HotRow struct {
	Network        string        `csv:"network" json:"network"`
	Kernel         string        `csv:"kernel" json:"kernel"`
	GPU            string        `csv:"gpu" json:"gpu"`
	PTXLine        int           `csv:"ptx_line" json:"ptx_line"`
	SourceFile     string        `csv:"source_file" json:"source_file"`
	SourceLine     analysis.Int  `csv:"source_line" json:"source_line"`
	Text           string        `csv:"text" json:"text"`
	WarpExecutions uint64        `csv:"warp_executions" json:"warp_executions"`
	EnergyUJ       analysis.Real `csv:"energy_uj" json:"energy_uj"`
	MemoryUJ       analysis.Real `csv:"memory_uj" json:"memory_uj"`
	// SharePct is of the dynamic energy of all instructions that are listed or
	// not.
	SharePct analysis.Real `csv:"share_pct" json:"share_pct"`
}

// hotKey is an instruction in the text.
type hotKey struct {
	network, kernel string
	line            int
}

// Hottest returns the n instructions with most energy in all launches, those
// without a figure left out.
func (m *Model) Hottest(launches []Timed, n int) []*HotRow {
	rows := map[hotKey]*HotRow{}
	all := 0.0
	for i := range launches {
		t := &launches[i]
		if _, _, err := m.Estimate(t); err != nil {
			continue
		}
		memory := m.shares(t.Launch)
		for _, in := range t.Launch.Instrs {
			if in.Issues == 0 {
				continue
			}
			var counts Counts
			counts.addInstr(in.InstrCount, m.Rules)
			core := m.energy(&counts)
			mem := memory.of(in)
			all += core + mem
			key := hotKey{t.Launch.Row.Network, t.Launch.Row.Kernel, in.PTXLine}
			r := rows[key]
			if r == nil {
				r = &HotRow{Network: key.network, Kernel: t.Launch.Row.KernelDemangled, GPU: m.Chip.Name, PTXLine: in.PTXLine, SourceFile: in.SourceFile, SourceLine: in.SourceLine,
					Text: in.Text, EnergyUJ: analysis.Ratio(0), MemoryUJ: analysis.Ratio(0)}
				rows[key] = r
			}
			r.WarpExecutions += in.Issues
			r.EnergyUJ.X += micro * (core + mem)
			r.MemoryUJ.X += micro * mem
		}
	}
	list := make([]*HotRow, 0, len(rows))
	for _, r := range rows {
		r.SharePct = analysis.Ratio(100 * r.EnergyUJ.X / max(micro*all, 1e-300))
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b *HotRow) int {
		return cmp.Or(cmp.Compare(b.EnergyUJ.X, a.EnergyUJ.X), cmp.Compare(a.Kernel, b.Kernel), cmp.Compare(a.PTXLine, b.PTXLine))
	})
	return list[:min(n, len(list))]
}

// energy returns the dynamic energy of events in J, the state's voltage applied.
func (m *Model) energy(n *Counts) float64 {
	sum := 0.0
	for c, x := range n {
		if Counter(c) != Duty {
			sum += x * m.Chip.Energies.perEventJ[c]
		}
	}
	return sum * m.State.VoltageRatio * m.State.VoltageRatio
}

// memoryShare is the energy of a launch's memory by the space that asks for it,
// and the bytes among which it is shared.
type memoryShare struct{ joules, bytes [3]float64 }

// The spaces that memory energy is shared by.
const (
	ofGlobal = iota // global, local and generic: L1, L2, NoC, DRAM
	ofShared
	ofConst
)

var memoryCounters = [3][]Counter{
	ofGlobal: {L1ReadHit, L1ReadMiss, L1WriteHit, L1WriteMiss, L2ReadHit, L2ReadMiss, L2WriteHit, L2WriteMiss, Flit, DRAMRead, DRAMWrite, DRAMPrecharge},
	ofShared: {SharedPass},
	ofConst:  {ConstHit, ConstMiss},
}

func (m *Model) shares(l *Launch) *memoryShare {
	s := &memoryShare{}
	for space, counters := range memoryCounters {
		var n Counts
		for _, c := range counters {
			n[c] = l.Memory[c]
		}
		s.joules[space] = m.energy(&n)
	}
	for _, in := range l.Instrs {
		if space, bytes := asked(in); bytes > 0 {
			s.bytes[space] += bytes
		}
	}
	return s
}

// of returns an instruction's part in J.
func (s *memoryShare) of(in Instruction) float64 {
	space, bytes := asked(in)
	if bytes == 0 {
		return 0
	}
	return s.joules[space] * bytes / s.bytes[space]
}

// asked returns the bytes that an instruction asks of memory.
func asked(in Instruction) (space int, bytes float64) {
	i := in.Instr.Inst
	if !i.IsLoad() && !i.IsStore() && !i.IsAtomic() {
		return 0, 0
	}
	bytes = float64(in.PredOn) * float64(i.Type().Bytes()*max(int(i.Vec), 1))
	switch i.Space {
	case isa.Shared, isa.SharedCluster:
		return ofShared, bytes
	case isa.Const:
		return ofConst, bytes
	case isa.Param, isa.ParamEntry, isa.ParamFunc:
		return 0, 0
	}
	return ofGlobal, bytes
}
