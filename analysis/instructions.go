package analysis

import (
	"slices"

	"hyptx/ir"
)

// Site says which instruction of which launch a row is about: its number, its
// line in the PTX, and the source's by the .loc in force, empty without one.
type Site struct {
	Network    string `csv:"network" json:"network"`
	Kernel     string `csv:"kernel" json:"kernel"`
	Launch     string `csv:"launch" json:"launch"`
	PC         int    `csv:"pc" json:"pc"`
	PTXLine    int    `csv:"ptx_line" json:"ptx_line"`
	SourceFile string `csv:"source_file" json:"source_file"`
	SourceLine Int    `csv:"source_line" json:"source_line"`
}

func (lp *LaunchProfile) site(pc ir.PC) Site {
	m := lp.Kernel.Module
	in := &m.Instrs[pc]
	s := Site{
		Network: lp.Network, Kernel: lp.KernelName, Launch: lp.Name(), PC: int(pc), PTXLine: int(in.Pos.Line),
		SourceFile: m.Files[int(in.Loc.File)],
	}
	if in.Loc.Line > 0 {
		s.SourceLine = Count(uint64(in.Loc.Line))
	}
	return s
}

// InstrRow is a row of --per-instruction.
type InstrRow struct {
	Site
	Text                string `csv:"text" json:"text"`
	Class               string `csv:"class" json:"class"`
	InSlice             bool   `csv:"in_slice" json:"in_slice"`
	WarpExecutions      uint64 `csv:"warp_executions" json:"warp_executions"`
	ThreadExecutions    uint64 `csv:"thread_executions" json:"thread_executions"`
	PredOnExecutions    uint64 `csv:"thread_executions_pred_on" json:"thread_executions_pred_on"`
	DivergentExecutions Int    `csv:"divergent_executions" json:"divergent_executions"`
	// Of accesses, where the mode counts them: requests of all spaces, 32-byte
	// sectors of global, local and constant memory, passes over the banks of
	// shared memory, and bytes asked for.
	MemoryRequests Int `csv:"memory_requests" json:"memory_requests"`
	Sectors        Int `csv:"sectors" json:"sectors"`
	SharedPasses   Int `csv:"shared_passes" json:"shared_passes"`
	BytesRequested Int `csv:"bytes_requested" json:"bytes_requested"`
}

// PerInstruction returns the rows of --per-instruction, in the order of the
// launches and of the text.
func (p *Profile) PerInstruction() []*InstrRow {
	var rows []*InstrRow
	for _, lp := range p.Launches {
		if lp.outcome != nil {
			rows = append(rows, lp.perInstruction()...)
		}
	}
	return rows
}

func (lp *LaunchProfile) perInstruction() []*InstrRow {
	m := lp.Kernel.Module
	divergent := map[int32]uint64{}
	for _, b := range lp.branchCounts() {
		divergent[b.PC] = b.Divergent
	}
	counts, accesses := lp.instructionCounts(), lp.accessesByInstruction()
	var rows []*InstrRow
	for _, f := range lp.Kernel.Closure() {
		for pc := f.First; pc < f.End; pc++ {
			in, c := &m.Instrs[pc], counts[pc]
			r := &InstrRow{
				Site: lp.site(pc), Text: f.Text(pc), Class: in.Inst.Form.Class.String(), InSlice: lp.filter.Slice.Run.Has(pc),
				WarpExecutions: c.Issues, ThreadExecutions: c.Lanes, PredOnExecutions: c.PredOn,
			}
			if d, ok := divergent[pc]; ok {
				r.DivergentExecutions = Count(d)
			}
			r.fillAccess(accesses[ir.PC(pc)])
			rows = append(rows, r)
		}
	}
	slices.SortStableFunc(rows, func(a, b *InstrRow) int { return a.PC - b.PC })
	return rows
}
