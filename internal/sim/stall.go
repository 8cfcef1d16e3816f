package sim

import (
	"maps"
	"slices"

	"hyptx/internal/pipe"
)

// Reason is why a warp does not issue in a cycle, by the names of Nsight Compute's
// warp states. Each cycle of each resident warp has one.
type Reason uint8

// The reasons.
const (
	Selected        Reason = iota // it issues
	NotSelected                   // another one issues
	Wait                          // a fixed latency
	LongScoreboard                // global, local memory, texture
	ShortScoreboard               // shared memory, special functions, shuffles
	MathPipe                      // its unit is taken
	MIOThrottle                   // the queue to the L1 is full: of shared memory
	LGThrottle                    // the same, of global and local memory
	BarrierWait
	BranchResolving
	NoInstruction // what it jumped to is not there yet
	Dispatch      // its CTA has just come
	NumReasons
)

var reasonNames = [NumReasons]string{
	"selected", "not_selected", "wait", "long_scoreboard", "short_scoreboard", "math_pipe_throttle",
	"mio_throttle", "lg_throttle", "barrier", "branch_resolving", "no_instruction", "dispatch_stall",
}

// String returns the reason as columns spell it.
func (r Reason) String() string { return reasonNames[r] }

// lateness is what a warp is said to wait for if it waits for the result of a kind.
var lateness = [pipe.NumKinds]Reason{
	pipe.FP32: Wait, pipe.FP64: Wait, pipe.FP16: Wait, pipe.IntAdd: Wait, pipe.IntShift: Wait, pipe.IntMul: Wait, pipe.IntMulWide: Wait,
	pipe.Compare: Wait, pipe.Move: Wait, pipe.Uniform: Wait, pipe.Vote: Wait, pipe.Matrix: Wait, pipe.Branch: Wait, pipe.Barrier: Wait, pipe.Fence: Wait,
	pipe.Special: ShortScoreboard, pipe.Convert: ShortScoreboard, pipe.Convert64: ShortScoreboard, pipe.ReadSpecial: ShortScoreboard,
	pipe.LoadShared: ShortScoreboard, pipe.StoreShared: ShortScoreboard, pipe.LoadMatrix: ShortScoreboard, pipe.LoadConst: ShortScoreboard,
	pipe.AtomicShared: ShortScoreboard, pipe.Shuffle: ShortScoreboard,
	pipe.LoadGlobal: LongScoreboard, pipe.StoreGlobal: LongScoreboard, pipe.LoadLocal: LongScoreboard, pipe.StoreLocal: LongScoreboard,
	pipe.CopyAsync: LongScoreboard, pipe.Atomic: LongScoreboard, pipe.Reduction: LongScoreboard, pipe.Texture: LongScoreboard,
}

// account returns where the time of warps goes that wait to issue an instruction: that of
// the instruction, where somebody asked for each.
func (s *sm) account(op int32) *[NumReasons]Tick {
	if s.byOp == nil {
		return &s.stalls
	}
	return &s.byOp[op]
}

// InstructionStalls is what warps did before the machine instructions that stand for an
// instruction of the PTX: how often these were issued, and cycles by reason.
type InstructionStalls struct {
	PC     int
	Issued uint64
	Stalls [NumReasons]float64
}

// byInstruction returns the stalls of all instructions that were issued, by PC, and adds
// them up in each SM.
func (r *run) byInstruction() (list []InstructionStalls) {
	if !r.PerInstruction {
		return nil
	}
	of := map[int]*InstructionStalls{}
	for _, s := range r.sms {
		for op, n := range s.issues {
			if n == 0 {
				continue
			}
			pc := int(r.Code.ops[op].pc)
			if of[pc] == nil {
				of[pc] = &InstructionStalls{PC: pc}
			}
			of[pc].Issued += n
			for k, t := range s.byOp[op] {
				of[pc].Stalls[k] += t.Cycles()
				s.stalls[k] += t
			}
		}
	}
	for _, pc := range slices.Sorted(maps.Keys(of)) {
		list = append(list, *of[pc])
	}
	return list
}

// charge accounts for a warp's time up to the issue of o at t: what it waited for,
// then the unit, then the scheduler.
func (c *core) charge(w *warp, o *op, t Tick) {
	if c.sm.issues != nil {
		c.sm.issues[w.op]++
	}
	if c.sm.kinds != nil {
		c.sm.kinds[o.kind]++
	}
	at := w.since
	if t < at {
		return // with the one before, in the same cycle
	}
	of := c.sm.account(w.op)
	if w.ready > at {
		of[w.why] += w.ready - at
		at = w.ready
	}
	free := max(min(c.free[o.unit], c.free[o.otherUnit]), c.free[o.secondUnit], c.sm.free[o.sharedUnit]) - ticksPerCycle + 1
	if o.memory {
		free = max(free, c.unfull)
	}
	if free > at {
		until := min(free.roundUp(), t)
		of[throttle(o)] += until - at
		at = until
	}
	if t > at {
		of[NotSelected] += t - at
	}
	of[Selected] += ticksPerCycle
	w.since = t + ticksPerCycle
}

// throttle is what a warp waits for whose unit is taken.
func throttle(o *op) Reason {
	switch {
	case !o.memory:
		return MathPipe
	case lateness[o.kind] == ShortScoreboard:
		return MIOThrottle
	}
	return LGThrottle
}
