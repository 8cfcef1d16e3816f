package emulator

import (
	"fmt"
	"slices"

	"hyptx/ir/isa"
)

// objectSteps give an mbarrier object of each CTA a life of some operations, of which one is what
// is proven, and hold what is asked of the objects against what the manual says of their counts
// (PTX ISA 9.7.15.16). What a state is made of is open: it may be asked for the count that it
// tells, and for the phase that it is of.
var objectSteps = map[isa.Op]clusterStep{
	isa.OpMbarrierInit: livedObject, isa.OpMbarrierInval: livedObject, isa.OpMbarrierExpectTx: livedObject,
	isa.OpMbarrierCompleteTx: livedObject, isa.OpMbarrierArrive: livedObject, isa.OpMbarrierArriveDrop: livedObject,
	isa.OpMbarrierTestWait: livedObject, isa.OpMbarrierTryWait: livedObject, isa.OpMbarrierPendingCount: livedObject,
	isa.OpCpAsyncMbarrierArrive: livedObject, isa.OpMbarrierCheckLayout: livedObject,
	isa.OpTcgen05Commit: livedObject, // an arrival, when products are done, of which there are none
}

// objectModel is an object as the manual has it.
type objectModel struct{ expected, pending, tx, phase int }

// settle begins the next phase if nothing is awaited any more.
func (o *objectModel) settle() (completed bool) {
	if o.pending > 0 || o.tx != 0 {
		return false
	}
	o.phase++
	o.pending = o.expected
	return true
}

// stateCase is a state of each thread: a register, the phase that it is of, -1 without one, and
// what arrivals it can tell to have been pending.
type stateCase struct {
	name        string
	phase       []int
	least, most []int
	counts      bool // as .noComplete gives it
}

// objectCase is the life of the objects at one place of all CTAs.
type objectCase struct {
	p       *clusterProof
	index   int
	v1      bool
	objects []objectModel
	states  []stateCase
}

// mostCounted is the largest count of arrivals, and of bytes.
func (c *objectCase) mostCounted() int {
	if c.v1 {
		return 1<<9 - 1
	}
	return 1<<20 - 1
}

// beside are the operations that lives have beside what is proven.
var beside = func() (list []*isa.Inst) {
	for _, opcode := range []string{"arrive.shared::cta", "arrive.noComplete.shared::cta", "arrive.expect_tx.relaxed.cluster.shared::cluster",
		"arrive_drop.release.cta.shared::cta", "expect_tx.relaxed.cta.shared::cta", "complete_tx.shared::cluster", "complete_tx.shared::cluster", "arrive"} {
		x, err := isa.Decode("mbarrier." + opcode + ".b64")
		if err != nil {
			panic(err)
		}
		list = append(list, x)
	}
	return list
}()

func livedObject(p *clusterProof, x *isa.Inst, given []bool) (lanes int) {
	c := &objectCase{p: p, index: p.objects, objects: make([]objectModel, p.ctas)}
	p.objects++
	c.v1 = p.ptx >= 903 && p.r.IntN(2) == 0
	count := oneAmong(p.r, 1, 2, 1+p.r.IntN(100), p.each, c.mostCounted())
	if x.Op == isa.OpMbarrierPendingCount || has(x, "noComplete") || !has(x, "parity") && (has(x, "test_wait") || has(x, "try_wait")) {
		count = oneAmong(p.r, 1+p.r.IntN(100), c.mostCounted()) // many arrive
	}
	opcode := map[bool]string{true: "mbarrier.init.layout::v1.shared::cta.b64", false: "mbarrier.init.shared::cta.b64"}[c.v1]
	if x.Op == isa.OpMbarrierInit {
		c.v1 = has(x, "layout::v1")
		count, lanes, opcode = min(count, c.mostCounted()), p.ctas, x.Opcode
	}
	c.firsts(opcode, x.Op == isa.OpMbarrierInit && x.Space == isa.Generic, func(int) int { return count }, true)
	for rank := range c.objects {
		c.objects[rank] = objectModel{expected: count, pending: count}
	}
	p.meet()
	before, after := p.r.IntN(4), p.r.IntN(3)
	for range before {
		c.perform(beside[p.r.IntN(len(beside))], nil)
	}
	switch {
	case x.Op == isa.OpMbarrierPendingCount:
		c.perform(beside[1], nil)
	case has(x, "test_wait") || has(x, "try_wait"):
		c.perform(beside[p.r.IntN(2)], nil)
	}
	if x.Op != isa.OpMbarrierInit && x.Op != isa.OpMbarrierInval {
		lanes = c.perform(x, given)
	}
	for range after {
		c.perform(beside[p.r.IntN(len(beside))], nil)
	}
	c.drain()
	if x.Op == isa.OpMbarrierArriveDrop || p.r.IntN(4) == 0 { // the next phase expects what it must
		c.drain()
	}
	if x.Op == isa.OpMbarrierInval {
		c.firsts(x.Opcode, x.Space == isa.Generic, nil, true)
		return p.ctas
	}
	c.firsts("mbarrier.inval.shared::cta.b64", false, nil, true)
	return lanes
}

// firsts has the first thread of each CTA execute an operation on its own object, with a count if
// there is one; zero, if it may not be, is left out.
func (c *objectCase) firsts(opcode string, generic bool, count func(rank int) int, zero bool) {
	p := c.p
	space := isa.Shared
	if generic {
		space = isa.Generic
	}
	acts := make([]bool, p.threads())
	for rank := range p.ctas {
		acts[rank*p.each] = zero || count(rank) != 0
	}
	operands := p.address(space, func(thread int) spot { return c.spot(p.rank(thread)) })
	if count != nil {
		operands += ", " + p.give(32, func(thread int) uint64 { return uint64(count(p.rank(thread))) })
	}
	p.line("%s%s %s;", p.guard(acts), opcode, operands)
}

func (c *objectCase) spot(rank int) spot { return spot{rank: rank, at: 8 * c.index, object: true} }

// perform has threads execute an operation, and asks all objects for their phases afterwards.
func (c *objectCase) perform(x *isa.Inst, given []bool) (lanes int) {
	if given == nil {
		given = oneAmong(c.p.r, c.p.variants(x)...)
	}
	switch x.Op {
	case isa.OpMbarrierTestWait, isa.OpMbarrierTryWait:
		lanes = c.await(x, given)
	case isa.OpMbarrierPendingCount:
		lanes = c.count(x, given)
	case isa.OpMbarrierCheckLayout:
		lanes = c.layout(x, given)
	default:
		lanes = c.signal(x, given)
	}
	c.p.meet()
	c.phases()
	return lanes
}

// phases asks for the phases of both parities.
func (c *objectCase) phases() {
	p := c.p
	asked := p.give(32, func(thread int) uint64 { return uint64(c.objects[p.rank(thread)].phase & 1) })
	p.line("mbarrier.test_wait.parity.shared::cta.b64 r_pred_30, [objects+%d], %s; selp.u32 r_b32_30, 1, 0, r_pred_30;", 8*c.index, asked)
	p.line("xor.b32 %s, %s, 1; mbarrier.test_wait.parity.shared::cta.b64 r_pred_30, [objects+%d], %s; selp.u32 r_b32_31, 2, 0, r_pred_30; or.b32 r_b32_30, r_b32_30, r_b32_31;", asked, asked, 8*c.index, asked)
	p.result("r_b32_30", 32, func(int) outcome { return outcome{bits: 2} })
	p.meet() // before anybody changes them
}

// drain takes what the open phases still await, but for one arrival, and then that.
func (c *objectCase) drain() {
	p := c.p
	before := slices.Clone(c.objects)
	c.firsts("mbarrier.complete_tx.shared::cta.b64", false, func(rank int) int { return max(before[rank].tx, 0) }, false)
	p.meet()
	for rank := range c.objects {
		o := &c.objects[rank]
		if o.tx = min(o.tx, 0); before[rank].tx > 0 && o.settle() {
			before[rank].pending = 0
		}
	}
	c.phases()
	// Of negative ones those without arrivals stay: whether an announcement can end a phase is open.
	c.firsts("mbarrier.expect_tx.shared::cta.b64", false, func(rank int) int {
		if before[rank].pending == 0 {
			return 0
		}
		return max(-before[rank].tx, 0)
	}, false)
	p.meet()
	last := func(rank int) int { return min(before[rank].pending, 1) }
	for i, n := range []func(rank int) int{func(rank int) int { return before[rank].pending - last(rank) }, last} {
		c.firsts("mbarrier.arrive.shared::cta.b64 _,", false, n, false)
		for rank := range c.objects {
			if o := &c.objects[rank]; before[rank].pending > 0 {
				o.pending, o.tx = o.pending-n(rank), 0
				if i == 1 {
					o.settle()
				}
			}
		}
		p.meet()
		c.phases()
	}
}

// layout is mbarrier.check_layout.
func (c *objectCase) layout(x *isa.Inst, given []bool) int {
	p := c.p
	acts, lanes := p.someThreads()
	old := p.r.IntN(2)
	p.line("setp.eq.u32 r_pred_30, %d, 1;", old)
	a := p.address(x.Space, func(thread int) spot { return c.spot(p.rank(thread)) })
	p.execute(x, given, p.guard(acts), map[string]string{"p": "r_pred_30", "a": a})
	p.line("selp.u32 r_b32_30, 1, 0, r_pred_30;")
	p.result("r_b32_30", 32, func(thread int) outcome {
		if !acts[thread] {
			return outcome{bits: uint64(old)}
		}
		return outcome{bits: truth(has(x, "layout::v1") == c.v1)}
	})
	return lanes
}

// count is mbarrier.pending_count, of threads that have a state of .noComplete.
func (c *objectCase) count(x *isa.Inst, given []bool) int {
	p := c.p
	at := slices.IndexFunc(c.states, func(s stateCase) bool { return s.counts })
	if at < 0 {
		return 0
	}
	s := c.states[at]
	acts, lanes := p.someThreads()
	for thread := range acts {
		if acts[thread] && s.phase[thread] < 0 {
			acts[thread] = false
			lanes--
		}
	}
	p.line("mov.u32 r_b32_30, 77;")
	p.execute(x, given, p.guard(acts), map[string]string{"d": "r_b32_30", "state": s.name})
	p.result("r_b32_30", 32, func(thread int) outcome {
		if !acts[thread] {
			return outcome{bits: 77}
		}
		return outcome{bits: uint64(s.most[thread]), allows: func(got uint64) bool {
			return got >= uint64(s.least[thread]) && got <= uint64(s.most[thread])
		}}
	})
	return lanes
}

// await is a test_wait or try_wait, for the open phase or for the one before.
func (c *objectCase) await(x *isa.Inst, given []bool) int {
	p := c.p
	acts, lanes := p.someThreads()
	operands := map[string]string{"p": "r_pred_30"}
	of := make([]int, p.threads()) // the phase asked for
	if has(x, "parity") {
		operands["parity"] = p.give(32, func(thread int) uint64 {
			of[thread] = c.objects[p.rank(thread)].phase - p.r.IntN(2)
			return uint64(of[thread] & 1)
		})
	} else {
		if len(c.states) == 0 {
			return 0
		}
		s := c.states[p.r.IntN(len(c.states))]
		operands["state"], of = s.name, s.phase
		for thread := range acts {
			now := c.objects[p.rank(thread)].phase
			if acts[thread] && (of[thread] < 0 || of[thread] < now-1) {
				acts[thread] = false
				lanes--
			}
		}
	}
	for i := range x.Form.Operands {
		switch s := &x.Form.Operands[i]; {
		case s.Name == "r" && given[i]:
			bits := oneAmong(p.r, 32, 64)
			operands["r"] = p.give(bits, func(int) uint64 { return 77 })
			operands["p"] = "r_pred_30|r_pred_31"
		case s.MayPair && given[i]:
			operands["p"] = "r_pred_30|r_pred_31"
		case s.Name == "timeout":
			operands["timeout"] = p.give(32, func(int) uint64 { return oneAmong[uint64](p.r, 0, 1, 1000, 1<<32-1) })
		}
	}
	p.line("setp.eq.u32 r_pred_30, 1, 1; setp.eq.u32 r_pred_31, 1, 1;")
	operands["a"] = p.address(x.Space, func(thread int) spot { return c.spot(p.rank(thread)) })
	p.execute(x, given, p.guard(acts), operands)
	p.line("selp.u32 r_b32_30, 1, 0, r_pred_30;")
	paired, valued := operands["p"] != "r_pred_30", operands["r"]
	p.result("r_b32_30", 32, func(thread int) outcome {
		return outcome{bits: truth(!acts[thread] || c.objects[p.rank(thread)].phase > of[thread])}
	})
	if paired {
		p.line("selp.u32 r_b32_30, 1, 0, r_pred_31;")
		p.result("r_b32_30", 32, func(thread int) outcome { return outcome{bits: truth(!acts[thread])} })
	}
	if valued != "" {
		var bits int
		fmt.Sscanf(valued, "r_b%d_", &bits)
		p.result(valued, bits, func(thread int) outcome { return outcome{bits: 77 * truth(!acts[thread])} })
	}
	return lanes
}
