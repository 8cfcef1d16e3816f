package sim

import "hyptx/internal/number"

// WarpStates are the columns of what warps did, by the names of Nsight Compute's warp states.
type WarpStates struct {
	Selected        number.Real `csv:"selected_pct" json:"selected_pct" doc:"what resident warps did, in percent of their cycles: they issued (of an instruction: it), or waited for that reason, by the names of Nsight Compute's warp states; dispatch_stall: their CTA had just come. What the machine does for a block of the PTX as a whole (constants into registers) stands at the last instruction of it"`
	NotSelected     number.Real `csv:"stall_not_selected_pct" json:"stall_not_selected_pct" doc:"^"`
	Wait            number.Real `csv:"stall_wait_pct" json:"stall_wait_pct" doc:"^"`
	LongScoreboard  number.Real `csv:"stall_long_scoreboard_pct" json:"stall_long_scoreboard_pct" doc:"^"`
	ShortScoreboard number.Real `csv:"stall_short_scoreboard_pct" json:"stall_short_scoreboard_pct" doc:"^"`
	MathPipe        number.Real `csv:"stall_math_pipe_throttle_pct" json:"stall_math_pipe_throttle_pct" doc:"^"`
	MIOThrottle     number.Real `csv:"stall_mio_throttle_pct" json:"stall_mio_throttle_pct" doc:"^"`
	LGThrottle      number.Real `csv:"stall_lg_throttle_pct" json:"stall_lg_throttle_pct" doc:"^"`
	BarrierWait     number.Real `csv:"stall_barrier_pct" json:"stall_barrier_pct" doc:"^"`
	BranchResolving number.Real `csv:"stall_branch_resolving_pct" json:"stall_branch_resolving_pct" doc:"^"`
	NoInstruction   number.Real `csv:"stall_no_instruction_pct" json:"stall_no_instruction_pct" doc:"^"`
	Dispatch        number.Real `csv:"stall_dispatch_stall_pct" json:"stall_dispatch_stall_pct" doc:"^"`
}

// Shares are the columns by their reasons.
func (w *WarpStates) Shares() [NumReasons]*number.Real {
	return [...]*number.Real{
		Selected: &w.Selected, NotSelected: &w.NotSelected, Wait: &w.Wait, LongScoreboard: &w.LongScoreboard, ShortScoreboard: &w.ShortScoreboard,
		MathPipe: &w.MathPipe, MIOThrottle: &w.MIOThrottle, LGThrottle: &w.LGThrottle, BarrierWait: &w.BarrierWait,
		BranchResolving: &w.BranchResolving, NoInstruction: &w.NoInstruction, Dispatch: &w.Dispatch,
	}
}
