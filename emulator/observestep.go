package emulator

import (
	"fmt"
	"math/bits"

	"hyptx/emulator/internal/address"
	"hyptx/internal/observe"
	"hyptx/ir/isa"
)

// A step begins at the pseudo-instruction before an instruction and ends at the one behind
// it. What ends a segment has none behind it: it ends where the thread goes on, which for
// a call is behind that, where its results are.

// follower follows one thread.
type follower struct {
	observe.Thread
	number uint64
	step   observe.Step
	plan   *stepPlan // of the step that has begun and not ended, or nil
	calls  []openCall
}

// openCall is a call that has not come back.
type openCall struct {
	plan   *stepPlan
	number uint64
	depth  int
}

// follow prepares a launch for those who observe it.
func (l *launch) follow() {
	o := l.Observer
	if o == nil {
		return
	}
	for _, t := range o.Threads {
		l.followers = append(l.followers, &follower{Thread: t})
	}
	for _, r := range o.Ranges {
		l.watchRange(r)
	}
}

// followed are the lanes of a warp that are followed.
func (l *launch) followed(cta int64, warp int) (m uint32) {
	for _, f := range l.followers {
		if f.CTA == cta && f.Thread.Thread/32 == warp {
			m |= 1 << (f.Thread.Thread % 32)
		}
	}
	return m
}

// followerOf returns who follows a lane.
func (w *warp) followerOf(lane int) *follower {
	for _, f := range w.worker.launch.followers {
		if f.CTA == w.cta.linear && f.Thread.Thread == 32*w.number+lane {
			return f
		}
	}
	return nil
}

// execStepBegin and execStepEnd are the pseudo-instructions.
func execStepBegin(w *warp, in *inst, m uint32) {
	for m &= w.followed; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		w.followerOf(lane).begin(w, &w.worker.prog.observed[in.index].step, lane)
	}
}

func execStepEnd(w *warp, _ *inst, m uint32) {
	for m &= w.followed; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		w.followerOf(lane).end(w, lane)
	}
}

// begin begins a step, and ends what came before it.
func (f *follower) begin(w *warp, p *stepPlan, lane int) {
	f.end(w, lane)
	for n := len(f.calls); n > 0 && f.calls[n-1].depth >= w.frame.depth; n-- {
		c := &f.calls[n-1]
		if f.calls = f.calls[:n-1]; c.depth == w.frame.depth && len(c.plan.writes) > 0 {
			f.fill(w, c.plan, lane)
			f.step.Number, f.step.Returned, f.step.Ended, f.step.Reads, f.step.Memory = c.number, true, true, f.step.Reads[:0], f.step.Memory[:0]
			w.addWrites(&f.step, c.plan, lane)
			w.worker.launch.Observer.Step(&f.step)
		}
	}
	f.fill(w, p, lane)
	f.step.Number = f.number
	f.number++
	f.plan = p
	if x := p.in.Inst; x.IsCall() && f.step.Executed {
		f.calls = append(f.calls, openCall{p, f.step.Number, w.frame.depth})
	} else if !x.IsBranch() && !x.IsReturn() && !x.IsExit() || x.Form.Flow == isa.FlowTrap {
		return
	}
	f.plan, f.step.Ended = nil, true
	w.worker.launch.Observer.Step(&f.step)
}

// fill describes an instruction before it is executed.
func (f *follower) fill(w *warp, p *stepPlan, lane int) {
	s := &f.step
	*s = observe.Step{Place: w.threadAt(p, lane), Depth: w.frame.depth, Executed: true, Reads: s.Reads[:0], Writes: s.Writes[:0], Memory: s.Memory[:0]}
	if p.guard >= 0 {
		s.Executed = (w.preds[p.guard]^p.flip)>>lane&1 != 0
	}
	w.addReads(s, p, lane)
	if s.Executed {
		w.addMemory(s, p, lane)
	}
}

// end ends the step that has begun, if there is one.
func (f *follower) end(w *warp, lane int) {
	p := f.plan
	if p == nil {
		return
	}
	f.plan = nil
	if s := &f.step; s.Executed {
		s.Ended = true
		w.addWrites(s, p, lane)
		for i := range s.Memory {
			s.Memory[i].Data = w.snapshot(s.Memory[i].Data, lane, s.Memory[i].Space, s.Memory[i].Address, p.memory[i].bytes)
		}
	}
	w.worker.launch.Observer.Step(&f.step)
}

// endSteps tells of the steps that had begun and not ended when the launch did: somebody
// still waited, or they failed.
func (l *launch) endSteps() {
	for _, f := range l.followers {
		if f.plan == nil {
			continue
		}
		f.plan = nil
		l.Observer.Step(&f.step)
	}
}

// threadAt says where a lane is.
func (w *warp) threadAt(p *stepPlan, lane int) observe.Place {
	return observe.Place{In: p.in, Func: p.fn, ID: observe.Thread{CTA: w.cta.linear, Thread: 32*w.number + lane}, CTA: w.cta.id, Tid: w.thread(lane)}
}

func (w *warp) addReads(s *observe.Step, p *stepPlan, lane int) {
	for i := range p.reads {
		s.Reads = append(s.Reads, w.valueOf(&p.reads[i], lane))
	}
}

func (w *warp) addWrites(s *observe.Step, p *stepPlan, lane int) {
	for i := range p.writes {
		s.Writes = append(s.Writes, w.valueOf(&p.writes[i], lane))
	}
}

// addMemory adds where a lane's accesses are.
func (w *warp) addMemory(s *observe.Step, p *stepPlan, lane int) {
	for i := range p.memory {
		m := &p.memory[i]
		a := observe.Access{Type: m.typ}
		a.Space, a.Address = address.Resolve(m.space, w.addressesOf(&m.location)[lane])
		a.Object, a.Offset = w.objectAt(a.Space, a.Address)
		s.Memory = append(s.Memory, a)
	}
}

// valueOf reads a value of a lane.
func (w *warp) valueOf(v *valuePlace, lane int) observe.Value {
	x := observe.Value{Name: v.name, Reg: int32(v.reg), Type: v.typ}
	switch {
	case v.constant:
		x.Bits[0] = v.bits
	case v.pred >= 0:
		x.Bits[0] = uint64(w.preds[v.pred] >> lane & 1)
	case v.typ.Bits() > 64:
		x.Bits = quad(w.slot(v.at))[lane]
	case v.typ.Bits() > 32:
		x.Bits[0] = wide(w.slot(v.at))[lane]
		if b := w.worker.launch.mem.find(x.Bits[0]); b != nil && !v.typ.IsFloat() {
			x.Points = fmt.Sprintf("%s+%d", b.Name, x.Bits[0]-b.Base)
		}
	default:
		x.Bits[0] = uint64(w.slot(v.at)[lane])
	}
	return x
}

// objectAt names what lies at an address.
func (w *warp) objectAt(space isa.Space, addr uint64) (name string, offset uint64) {
	switch space {
	case isa.Global:
		if b := w.worker.launch.mem.find(addr); b != nil {
			return b.Name, addr - b.Base
		}
	case isa.Shared:
		_, at := w.sharedOf(addr)
		for v, base := range w.worker.prog.sharedVar { // of several extern ones, which lie at one place, the first by name
			in := at-uint64(base) < uint64(v.Bytes) || v.Extern && uint64(base) == uint64(w.worker.prog.dynShared)
			if at >= uint64(base) && in && (name == "" || v.Name < name) {
				name, offset = v.Name, at-uint64(base)
			}
		}
		return name, offset
	case isa.Param:
		for _, p := range w.worker.prog.Kernel.Params {
			if v := p.Var; v != nil && addr-uint64(v.Offset) < uint64(v.Bytes) {
				return v.Name, addr - uint64(v.Offset)
			}
		}
	}
	return "", 0
}

// snapshot reads memory as it is, into a slice that it makes if that is too small; nil where
// there is none.
func (w *warp) snapshot(dst []byte, lane int, space isa.Space, addr uint64, n int) []byte {
	if n <= 0 {
		return nil
	}
	if cap(dst) < n {
		dst = make([]byte, n)
	}
	dst = dst[:n]
	var mem []byte
	switch space {
	case isa.Shared:
		c, at := w.sharedOf(addr)
		mem, addr = c.shared, at
	case isa.Local:
		mem = w.local[int64(lane)*w.localCap:][:w.localCap]
	case isa.Const:
		mem = w.worker.launch.module.constants
	case isa.Param:
		mem = w.worker.launch.Params
	default:
		b := w.worker.launch.mem.find(addr)
		if b == nil || addr-b.Base+uint64(n) > uint64(b.Bytes) || b.Read(dst, int64(addr-b.Base)) != nil {
			return nil
		}
		return dst
	}
	if addr > uint64(len(mem)) || uint64(n) > uint64(len(mem))-addr {
		return nil
	}
	copy(dst, mem[addr:])
	return dst
}
