package analysis

import (
	"slices"

	"hyptx/internal/number"
	"hyptx/ir"
)

// The finest view: one row for each instruction of each launch, with what it executed
// and what its accesses moved. It is made from the counters of segments after the run
// and costs nothing during it. With .loc lines in the PTX (nvcc -lineinfo) a reader sums
// the rows of a source line, as Nsight Compute's source page does.
//
// Site says which instruction of which launch a row is about: its number, its
// line in the PTX, and the source's by the .loc in force, empty without one.
type Site struct {
	Network    string     `csv:"network" json:"network" doc:"which launch"`
	Kernel     string     `csv:"kernel" json:"kernel" doc:"^"`
	Launch     string     `csv:"launch" json:"launch" doc:"^"`
	PC         int        `csv:"pc" json:"pc" doc:"instruction number in its module, from 0; of a loop its first instruction"`
	PTXLine    int        `csv:"ptx_line" json:"ptx_line" doc:"line in the PTX, and the file, since a module may be linked from several"`
	PTXFile    string     `csv:"ptx_file" json:"ptx_file" doc:"^"`
	SourceFile string     `csv:"source_file" json:"source_file" doc:"file and line of the .loc in force; empty without one"`
	SourceLine number.Int `csv:"source_line" json:"source_line" doc:"^"`
}

func (lp *LaunchProfile) site(pc ir.PC) Site {
	m := lp.Kernel.Module
	in := &m.Instrs[pc]
	file, line := m.Source(pc)
	s := Site{
		Network: lp.Network, Kernel: lp.KernelName, Launch: lp.Name(), PC: int(pc), PTXLine: int(in.Pos.Line), PTXFile: lp.fileOf(pc),
		SourceFile: file,
	}
	if line > 0 {
		s.SourceLine = number.Count(uint64(line))
	}
	return s
}

// InstrRow is a row of --per-instruction.
type InstrRow struct {
	Site
	Text                instrText  `csv:"text" json:"text" doc:"the instruction"`
	Class               string     `csv:"class" json:"class" doc:"its class, as in inst_*"`
	InSlice             bool       `csv:"in_slice" json:"in_slice" doc:"whether it is a member of the slice. A move of a special register is none where its readers can read the register itself; 'graph --what slice' draws it dashed"`
	WarpExecutions      uint64     `csv:"warp_executions" json:"warp_executions" doc:"warps that issued it"`
	ThreadExecutions    uint64     `csv:"thread_executions" json:"thread_executions" doc:"active lanes; those of them whose guard held"`
	PredOnExecutions    uint64     `csv:"thread_executions_pred_on" json:"thread_executions_pred_on" doc:"^"`
	DivergentExecutions number.Int `csv:"divergent_executions" json:"divergent_executions" doc:"of a branch: executions at which the warp's lanes had different next instructions; else empty"`
	// Of accesses, where the mode counts them: requests of all spaces, 32-byte
	// sectors of global, local and constant memory, passes over the banks of
	// shared memory, and bytes asked for.
	MemoryRequests number.Int `csv:"memory_requests" json:"memory_requests" doc:"of an access, where the mode counts them: requests in all spaces; sectors of global, local and constant memory; passes over the banks of shared memory; bytes that the lanes asked for"`
	Sectors        number.Int `csv:"sectors" json:"sectors" doc:"^"`
	SharedPasses   number.Int `csv:"shared_passes" json:"shared_passes" doc:"^"`
	BytesRequested number.Int `csv:"bytes_requested" json:"bytes_requested" doc:"^"`
	// Products are, of tcgen05's, of which a single instruction may do any work, those that
	// mma would need in their place: 16 rows by 8 columns of a result, by 32 bytes of k.
	Products uint64 `csv:"-" json:"-"`
}

// instrText is an instruction that is written when a row is: of a million rows that are
// summed nobody reads a text.
type instrText struct {
	f  *ir.Func
	pc ir.PC
}

func (t instrText) String() string { return t.f.Text(t.pc) }

// MarshalText is the text in CSV and JSON.
func (t instrText) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// PerInstruction returns the rows of --per-instruction, in the order of the
// launches and of the text.
func (p *Profile) PerInstruction() []*InstrRow { return viewOf(p, (*LaunchProfile).perInstruction) }

// perInstruction makes the rows of one launch: of the kernel and of all functions that
// it may call, also of instructions that nobody reached, whose counts are 0.
func (lp *LaunchProfile) perInstruction() []*InstrRow {
	m := lp.Kernel.Module
	counts, branches, accesses := lp.instructionCounts(), lp.branchCounts(), lp.accessesByInstruction()
	var rows []*InstrRow
	for _, f := range written(lp.Kernel) {
		for pc := f.First; pc < f.End; pc++ {
			in, c := &m.Instrs[pc], counts.of(pc)
			r := &InstrRow{
				Site: lp.site(pc), Text: instrText{f, pc}, Class: in.Inst.Form.Class.String(), InSlice: lp.filter.Slice.Run.Has(pc),
				WarpExecutions: c.Issues, ThreadExecutions: c.Lanes, PredOnExecutions: c.PredOn,
			}
			if b, ok := branches[pc]; ok {
				r.DivergentExecutions = number.Count(b.Divergent)
			}
			if descriptor, ok := lp.filter.Descriptor(pc); ok && in.Inst.OpaqueTensor() {
				_, _, products := describedOps(in.Inst, descriptor)
				r.Products = products * c.PredOn
			}
			r.fillAccess(accesses[ir.PC(pc)])
			rows = append(rows, r)
		}
	}
	slices.SortStableFunc(rows, func(a, b *InstrRow) int { return a.PC - b.PC })
	return rows
}
