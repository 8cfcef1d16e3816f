package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hyptx/internal/number"
	"hyptx/internal/order"
	"hyptx/ir"
)

// Where a count is not exact, the user asks why, and what to mend. The emulator has
// noted it (package order): pairs of accesses that nothing puts in order, each with
// its instructions and threads, what else the manual leaves open, and for each
// reason the first decision that rested on it. Here they become rows and sentences.

// RaceRow is a row of --races: two accesses of one place in memory, one of them a
// write, by two threads that nothing puts in order; or one instruction whose result
// the manual leaves open. Each pair of instructions is a row of its own.
type RaceRow struct {
	Network      string     `csv:"network" json:"network" doc:"which launch"`
	Launch       string     `csv:"launch" json:"launch" doc:"^"`
	Kernel       string     `csv:"kernel" json:"kernel" doc:"^"`
	Kind         string     `csv:"kind" json:"kind" doc:"'write-read', 'write-write', 'read-write' in the order that was run; 'meeting' (two come to a barrier that waits for fewer warps than use it: nothing says which first); 'mixed-barrier' (bar.red and another bar at one barrier: the manual says that what happens is unpredictable, or two bar.red that reduce otherwise); 'clock', 'machine' (a special register that belongs to the machine), 'stale' (ld.global.nc, a texture or a surface of what the launch has written: it may see what was there before), 'absent-lane' (a shuffle reads a lane that takes no part, a member of a vote or its like is at another instruction, or with --lenient a lane's member mask does not name it), 'together' (activemask where lanes have parted before, and met again or may come yet: which of them are together is open), 'division-by-zero', 'unexpected-store' (mode memory: a store left its buffer and came where a decision reads), 'displaced-store' (at an address that the order of threads decides: in another order it comes elsewhere in its buffer), 'discarded' (discard leaves any value there), 'open-result' (of these very values the manual leaves open what comes: which of equal ones spcompress keeps, the remainder of numbers of two signs, which NaN comes of one that is negated, bytes that .ignore_oob may miss, a halo beyond its row), 'unfinished' (the result of a wgmma or tcgen05.ld that nobody has waited for), 'texture' (a channel that the format has not, an element beyond an edge, a level of detail: what the manual leaves open), 'absent-cta' (shared memory of a CTA of the cluster that may have ended, or not have begun: no barrier.cluster says that it is there), 'not-together' (with --lenient: not all threads of a warp, or of a warpgroup, execute what is .aligned), 'no-proxy-fence' (a bulk copy or a product reads what threads have written, or writes over it, without a fence.proxy.async between), 'parting' (barrier.cluster.wait for a part of a warp's threads: those wait, and part from the others, unless all have come already), 'invalid-operand' (the base of fns, or the size of what a cp.async reads, is too large, rows that stmatrix or wmma.store writes overlap, a matrix of wmma that lies elsewhere for some lanes, metadata of a sparse matrix that name no elements, an ldu of several addresses, an atomic on local memory, an mbarrier that is initialised twice or touched by anything else, or a register stands twice in a vector that is written), 'returned' (a function that is .noreturn), 'local-of-another' (an access by the address of another thread's local memory: each has its own there)"`
	SameWarp     bool       `csv:"same_warp" json:"same_warp" doc:"both threads are of one warp"`
	SameValue    bool       `csv:"same_value" json:"same_value" doc:"whichever comes first, the values are the same: nothing depends on it"`
	Synchronised bool       `csv:"synchronised" json:"synchronised" doc:"both accesses are strong (atomic, volatile, relaxed and the like) and in each other's scope: no data race, only their order is open"`
	Count        uint64     `csv:"count" json:"count" doc:"how often it was found in what was run: in modes control and memory one CTA may stand for many"`
	Line         int32      `csv:"line" json:"line" doc:"of the first access in the PTX; its text, and the first thread that made it: CTA, warp, lane"`
	Text         string     `csv:"text" json:"text" doc:"^"`
	Thread       string     `csv:"thread" json:"thread" doc:"^"`
	OtherLine    number.Int `csv:"other_line" json:"other_line" doc:"the same of the second access"`
	OtherText    string     `csv:"other_text" json:"other_text" doc:"^"`
	OtherThread  string     `csv:"other_thread" json:"other_thread" doc:"^"`
}

// Races returns the rows of --races.
func (p *Profile) Races() []*RaceRow { return viewOf(p, (*LaunchProfile).races) }

// raceKinds are the kinds of facts as rows name them.
var raceKinds = map[order.Kind]string{
	order.RaceRead: "write-read", order.RaceWrite: "write-write", order.RaceOvertake: "read-write", order.RaceArrive: "meeting", order.RaceMix: "mixed-barrier",
	order.ClockRead: "clock", order.Machine: "machine", order.Stale: "stale", order.Absent: "absent-lane", order.DivisionByZero: "division-by-zero",
	order.Unseen: "unexpected-store", order.Displaced: "displaced-store", order.Discarded: "discarded", order.Unfinished: "unfinished", order.Texture: "texture",
	order.Parting: "parting", order.Alone: "not-together", order.Stray: "absent-cta", order.Returned: "returned", order.Private: "local-of-another",
	order.Open: "open-result", order.Invalid: "invalid-operand", order.Gathered: "together", order.Unfenced: "no-proxy-fence",
	order.Expired: "time-limit",
}

// logs are what the emulator noted in the parts of the launch that were run.
func (lp *LaunchProfile) logs() (logs []*order.Log) {
	if lp.outcome == nil {
		return nil
	}
	for _, r := range lp.outcome.results {
		if r.Order != nil {
			logs = append(logs, r.Order)
		}
	}
	return logs
}

func (lp *LaunchProfile) races() (rows []*RaceRow) {
	for _, l := range lp.logs() {
		for i := range l.Facts {
			f := &l.Facts[i]
			if f.Count == 0 {
				continue
			}
			r := &RaceRow{
				Network: lp.Network, Launch: lp.Name(), Kernel: lp.KernelName, Kind: raceKinds[f.Kind], SameWarp: f.SameWarp,
				SameValue: f.SameValue, Synchronised: f.Synchronised, Count: f.Count, Line: lp.lineOf(f.A.PC), Text: lp.textOf(f.A.PC),
			}
			if f.IsRace() {
				r.Thread, r.OtherThread = threadOf(f.A), threadOf(f.B)
				r.OtherLine, r.OtherText = number.Count(uint64(lp.lineOf(f.B.PC))), lp.textOf(f.B.PC)
			}
			rows = append(rows, r)
		}
	}
	return rows
}

func (lp *LaunchProfile) lineOf(pc uint32) int32 { return int32(lp.Kernel.Module.Instrs[pc].Pos.Line) }

func (lp *LaunchProfile) textOf(pc uint32) string {
	return lp.Kernel.Module.FuncOf(ir.PC(pc)).Text(ir.PC(pc))
}

func threadOf(a order.Access) string {
	if a.Anonymous {
		return "one of many"
	}
	return fmt.Sprintf("CTA %d warp %d lane %d", a.CTA, a.Warp, a.Lane)
}

// Explain says in sentences on what the counts of launches rest that are not
// exact: for each reason the first decision, and the accesses or the instruction
// that it comes from. There is nothing to say where all counts are exact.
func (p *Profile) Explain() []string {
	var out []string
	for _, lp := range p.Launches {
		before := len(out)
		for i := range order.Reasons {
			if d, log := lp.firstDecision(i); log != nil {
				out = append(out, fmt.Sprintf("launch %s (%s): %s: %d decisions of warps; the first at %s: %s",
					lp.Name(), lp.KernelName, exactnessOf(i), lp.decided(i), lp.place(d.PC), p.why(log, exactnessOf(i), d.Cause)))
			}
		}
		if n := lp.Facts.Of(DivergentBarriers).N; n > 0 {
			out = append(out, fmt.Sprintf("launch %s (%s): %s: %d times a part of a warp's threads comes to a barrier that all have to execute together (.aligned, bar)",
				lp.Name(), lp.KernelName, undefinedCounts, n))
		}
		why := cmp.Or(lp.AssumedInputs, "addresses depend on what is not exact, decisions do not")
		if lp.AllExactness() == sampledCounts {
			why = "what accesses moved is an estimate from a sample of the CTAs"
		}
		if e := lp.AllExactness(); len(out) == before && e != exactCounts && e != "" {
			out = append(out, fmt.Sprintf("launch %s (%s): %s: %s", lp.Name(), lp.KernelName, e, why))
		}
	}
	return out
}

// firstDecision returns the first decision of the launch for a reason.
func (lp *LaunchProfile) firstDecision(reason int) (d order.Decision, of *order.Log) {
	for _, l := range lp.logs() {
		if l.Decided[reason].Count > 0 {
			return l.Decided[reason], l
		}
	}
	return d, nil
}

// decided returns how many decisions of warps that were run had a reason.
func (lp *LaunchProfile) decided(reason int) (n uint64) {
	for _, l := range lp.logs() {
		n += l.Decided[reason].Count
	}
	return n
}

// place names an instruction: "k.ptx:12 `@%p1 bra END`".
func (lp *LaunchProfile) place(pc uint32) string {
	return fmt.Sprintf("%s:%d `%s`", lp.fileOf(ir.PC(pc)), lp.lineOf(pc), lp.textOf(pc))
}

// causes are the reasons that one place alone has; behind each of them stands the place.
var causes = map[order.Kind]string{
	order.ClockRead:      "a clock is read at",
	order.Machine:        "what belongs to the machine, a special register, the order of a fragment's elements or where a variable lies, is read at",
	order.Expired:        "no thread could go on, so that the time limit is reached, which is the machine's, at",
	order.Stale:          "what the launch has written may be read as it was before (.nc, textures, surfaces) at",
	order.Absent:         "a lane that takes no part is read, or a member is at another instruction, at",
	order.Gathered:       "lanes have parted, and nothing says which of them are together at",
	order.DivisionByZero: "the divisor is zero at",
	order.Open:           "the manual leaves open what comes of these values at",
	order.Invalid:        "of these operands (too large, or two that overlap) the manual does not say what comes at",
	order.Displaced:      "in another order of threads it comes elsewhere in its buffer: the store at",
	order.Texture:        "what the manual leaves open of a texture (a channel, an element beyond an edge, a level of detail) counts at",
	order.Returned:       "a function has returned that is .noreturn, to",
	order.Private:        "local memory is a thread's own, and reached by an address of another thread's at",
	order.Parting:        "a part of a warp's threads waits, unless all have come already, at",
	order.Stray:          "a CTA of the cluster may have ended, or not have begun, whose shared memory is accessed at",
	order.Unfenced:       "threads have written what the async proxy reads or writes over, and no fence.proxy.async stands between, at",
	order.Alone:          "not all threads are there that have to execute it together, at",
	order.Discarded:      "what lies there is any value after the discard at",
	order.Unfinished:     "nobody has waited for what is begun, or fenced what it works on, at",
	order.Unseen:         "a store left its buffer and came where a decision reads (mode full executes it), at",
}

// why says what caused an origin: a fact of the same launch, or of the one from which
// the value comes. Local memory, in which arguments of calls lie, keeps what its bytes rest
// on, but not what made it so.
func (p *Profile) why(log *order.Log, is string, cause order.Cause) string {
	switch {
	case cause == 0 && is == assumedCounts:
		return "it reads what nobody has written"
	case cause == 0:
		return "the value has come through local memory, or as an argument of a call, where no cause is kept (option races lists what was found)"
	}
	f, of := log.Find(cause)
	i := slices.IndexFunc(p.Launches, func(lp *LaunchProfile) bool { return slices.Contains(lp.logs(), of) })
	if i < 0 {
		return "the value comes from a launch whose facts are not kept"
	}
	lp := p.Launches[i]
	at := lp.place(f.A.PC)
	if cause := causes[f.Kind]; cause != "" {
		return cause + " " + at
	}
	return lp.betweenThreads(f, at)
}

// betweenThreads says of a fact with two accesses what the other thread does, and that nothing puts the two
// in order; at is where the first of them stands.
func (lp *LaunchProfile) betweenThreads(f *order.Fact, at string) string {
	if f.Kind == order.RaceArrive {
		return fmt.Sprintf("nothing says whether %s (%s) or %s (%s) comes to a barrier of fewer warps first", threadOf(f.A), at, threadOf(f.B), lp.place(f.B.PC))
	}
	if f.Kind == order.RaceMix {
		return fmt.Sprintf("%s (%s) and %s (%s) come to one barrier, one of them to reduce: the manual says that what happens is unpredictable",
			threadOf(f.A), at, threadOf(f.B), lp.place(f.B.PC))
	}
	verbs := map[order.Kind][2]string{order.RaceRead: {"writes", "reads"}, order.RaceWrite: {"writes", "writes"}, order.RaceOvertake: {"reads", "writes"}}[f.Kind]
	who := "another warp"
	switch {
	case f.SameWarp:
		who = "another lane of its warp"
	case f.A.CTA != f.B.CTA:
		who = "another CTA"
	}
	return fmt.Sprintf("%s (%s) %s what %s (%s) %s, and nothing puts the two in order: %s", threadOf(f.A), at, verbs[0], who, threadOf(f.B), verbs[1], lp.place(f.B.PC))
}

// unexpectedStores says of a launch in mode memory which stores came where a
// decision reads, "" if none.
func (lp *LaunchProfile) unexpectedStores() string {
	var at []string
	for _, l := range lp.logs() {
		for i := range l.Facts {
			if f := &l.Facts[i]; f.Kind == order.Unseen && f.Count > 0 {
				at = append(at, fmt.Sprintf("%s:%d", lp.fileOf(ir.PC(f.A.PC)), lp.lineOf(f.A.PC)))
			}
		}
	}
	if at == nil {
		return ""
	}
	return "a store at " + strings.Join(at, ", ") + " leaves its buffer and comes where decisions read: mode full executes it"
}
