package analysis

import (
	"fmt"
	"strings"

	"hyptx/emulator"
	"hyptx/ir"
)

// traffic is what the accesses of a launch, or of many, moved.
type traffic struct {
	// counted: the mode counts traffic.
	counted                      bool
	load, store, atomic, reduced spaceTraffic
	// footprint are the distinct bytes of global and local memory.
	footprint uint64
}

// spaceTraffic is traffic by the memory that it went to.
type spaceTraffic [emulator.NumTrafficSpaces]emulator.SpaceTraffic

func (t *spaceTraffic) add(u *spaceTraffic, n uint64) {
	for i := range t {
		t[i].Add(u[i], n)
	}
}

// kind returns where accesses of a kind are summed up.
func (t *traffic) kind(k emulator.AccessKind) *spaceTraffic {
	switch k {
	case emulator.AccessLoad:
		return &t.load
	case emulator.AccessStore:
		return &t.store
	case emulator.AccessAtomic:
		return &t.atomic
	}
	return &t.reduced
}

// addAccesses adds what the accesses of a part of a launch moved, n times.
func (t *traffic) addAccesses(list []emulator.AccessTraffic, n uint64) {
	t.counted = true
	for i := range list {
		t.kind(list[i].Kind).add((*spaceTraffic)(&list[i].Spaces), n)
	}
}

// addTimes adds u, n times. The footprint is no sum: of several launches it is
// the union, which the session keeps.
func (t *traffic) addTimes(u *traffic, n uint64) {
	t.counted = t.counted || u.counted
	t.load.add(&u.load, n)
	t.store.add(&u.store, n)
	t.atomic.add(&u.atomic, n)
	t.reduced.add(&u.reduced, n)
	t.footprint = max(t.footprint, u.footprint)
}

// largestTraffic bounds the columns of the memory block from above.
func (o *outcome) largestTraffic() (n float64) {
	for i, res := range o.results {
		if res.Traffic == nil {
			continue
		}
		for k := range res.Traffic.Accesses {
			for _, s := range res.Traffic.Accesses[k].Spaces {
				n += (float64(s.Bytes) + sectorBytes*float64(s.Transactions)) * float64(o.parts[i].weight)
			}
		}
	}
	return n
}

// sectorBytes is the size of a sector, passBytes what a pass over the banks of
// shared memory can give.
const (
	sectorBytes = 32
	passBytes   = 128
)

// fill writes the memory block of a row.
func (t *traffic) fill(r *Row) {
	if !t.counted {
		return
	}
	const global, local, shared, constant = emulator.TrafficGlobal, emulator.TrafficLocal, emulator.TrafficShared, emulator.TrafficConst
	ld, st, at, red := &t.load, &t.store, &t.atomic, &t.reduced
	r.GlobalLoadRequests, r.GlobalStoreRequests = Count(ld[global].Requests), Count(st[global].Requests)
	r.LocalLoadRequests, r.LocalStoreRequests = Count(ld[local].Requests), Count(st[local].Requests)
	r.SharedLoadRequests, r.SharedStoreRequests = Count(ld[shared].Requests), Count(st[shared].Requests)
	r.ConstRequests = Count(ld[constant].Requests)
	r.TexRequests = Count(0) // no form of a texture access is read
	r.GldTransactions, r.GstTransactions = Count(ld[global].Transactions), Count(st[global].Transactions)
	r.LocalLoadTransactions, r.LocalStoreTransactions = Count(ld[local].Transactions), Count(st[local].Transactions)
	r.AtomicTransactions = Count(at[global].Transactions + red[global].Transactions)
	r.GldEfficiencyPct = Percent(ld[global].Bytes, sectorBytes*ld[global].Transactions, Real{})
	r.GstEfficiencyPct = Percent(st[global].Bytes, sectorBytes*st[global].Transactions, Real{})
	r.GldUniqueEfficiencyPct = Percent(ld[global].UniqueBytes, sectorBytes*ld[global].Transactions, Real{})
	// An atomic that returns what was there is a load of shared memory, one that
	// does not (red) a store: each passes over the banks once.
	loads, stores := ld[shared].Transactions+at[shared].Transactions, st[shared].Transactions+red[shared].Transactions
	r.SharedLoadTransactions, r.SharedStoreTransactions = Count(loads), Count(stores)
	var atomics, requested, transferred, sharedBytes uint64
	for _, list := range []*spaceTraffic{ld, st, at, red} {
		requested += list[global].Bytes + list[local].Bytes
		transferred += sectorBytes * (list[global].Transactions + list[local].Transactions)
		sharedBytes += list[shared].Bytes
	}
	for k := range at {
		atomics += at[k].Requests + red[k].Requests
	}
	r.AtomicRequests = Count(atomics)
	r.SharedEfficiencyPct = Percent(sharedBytes, passBytes*(loads+stores), Real{})
	r.BytesRequested, r.BytesTransferred, r.FootprintBytes = Count(requested), Count(transferred), Count(t.footprint)
}

// fillInstr writes the columns of one instruction; t is nil where it is no
// access or the mode does not count them.
func (t *traffic) fillInstr(r *InstrRow) {
	if t == nil {
		return
	}
	var sum, shared emulator.SpaceTraffic
	for _, list := range []*spaceTraffic{&t.load, &t.store, &t.atomic, &t.reduced} {
		for k := range list {
			sum.Add(list[k], 1)
		}
		shared.Add(list[emulator.TrafficShared], 1)
	}
	r.MemoryRequests, r.BytesRequested = Count(sum.Requests), Count(sum.Bytes)
	r.Sectors, r.SharedPasses = Count(sum.Transactions-shared.Transactions), Count(shared.Transactions)
}

// countsTraffic reports whether the session's mode fills the memory block.
func (m Mode) countsTraffic() bool { return m == Memory || m == Full }

// extent is the footprint of what was run.
type extent struct {
	global *emulator.Footprint
	local  uint64 // bytes
}

// newExtent returns the extent of nothing; nil where nobody counts.
func (s *Session) newExtent() *extent {
	if !s.traffic {
		return nil
	}
	return &extent{global: emulator.NewFootprint(s.machine.Memory)}
}

// part returns the footprint that a part of a launch is to fill.
func (e *extent) part(s *Session) *emulator.Footprint {
	if e == nil {
		return nil
	}
	return emulator.NewFootprint(s.machine.Memory)
}

// addExtent joins the footprint of the i-th part that was run, of so many a
// repetition. What stands for other CTAs or warps has the same global
// addresses; local memory each thread has for itself, and repetitions use the
// same.
func (o *outcome) addExtent(part *emulator.Footprint, i int64, parts int) {
	if o.extent == nil {
		return
	}
	if i < int64(parts) {
		o.extent.local += o.results[i].Traffic.LocalBytes * o.parts[i].weight
	}
	o.extent.global.Merge(part)
}

// keepExtent joins the extent of a launch to the program's if it was chosen.
func (s *Session) keepExtent(lp *LaunchProfile, chosen bool) {
	if lp.outcome == nil || lp.outcome.extent == nil {
		return
	}
	if s.extent == nil {
		s.extent = s.newExtent()
	}
	if chosen {
		s.extent.merge(lp.outcome.extent)
		lp.outcome.program = s.extent
	} else {
		lp.outcome.extent.global.Release()
	}
}

// addTraffic adds what the launch's accesses moved to its tally, for one of
// the repetitions that were run, and returns the requests at inexact addresses.
func (lp *LaunchProfile) addTraffic() (inexact emulator.Traffic) {
	o := lp.outcome
	for i, res := range o.results {
		if t := res.Traffic; t != nil {
			lp.tally.traffic.addAccesses(t.Accesses, o.parts[i].weight)
			inexact.Assumed += t.Assumed
			inexact.Scheduled += t.Scheduled
		}
	}
	if o.extent != nil {
		lp.tally.traffic.footprint = o.extent.bytes()
	}
	return inexact
}

// bytes returns the size of the extent.
func (e *extent) bytes() uint64 {
	return e.global.Bytes() + e.local
}

// merge joins a launch's extent to the program's. Local memory is used again
// by the next launch: the largest counts.
func (e *extent) merge(launch *extent) {
	e.global.Merge(launch.global)
	e.local = max(e.local, launch.local)
}

// footprint returns the distinct bytes that the rows' launches touched: of each
// program the union.
func (p *Profile) footprint() (n uint64) {
	seen := map[*extent]bool{}
	for _, lp := range p.Launches {
		if lp.outcome == nil || lp.outcome.program == nil || seen[lp.outcome.program] {
			continue
		}
		seen[lp.outcome.program] = true
		n += lp.outcome.program.bytes()
	}
	return n
}

// compareTraffic holds what the accesses moved against full emulation.
func compareTraffic(got, want *LaunchProfile) string {
	a, b := got.trafficByInstruction(), want.trafficByInstruction()
	if a == nil || b == nil {
		return ""
	}
	m := got.Kernel.Module
	for pc := range ir.PC(len(m.Instrs)) {
		x, y := traffic{counted: true}, traffic{counted: true}
		if a[pc] != nil {
			x = *a[pc]
		}
		if b[pc] != nil {
			y = *b[pc]
		}
		if x != y {
			return fmt.Sprintf("%s:%d (%s): %s moves %s, full emulation %s",
				got.Row.File, m.Instrs[pc].Pos.Line, m.FuncOf(pc).Text(pc), got.mode(), x.describe(), y.describe())
		}
	}
	if x, y := got.tally.traffic.footprint, want.tally.traffic.footprint; x != y {
		return fmt.Sprintf("%s touches %d distinct bytes of memory, full emulation %d", got.mode(), x, y)
	}
	return ""
}

// describe lists what is not zero.
func (t *traffic) describe() string {
	spaces := [emulator.NumTrafficSpaces]string{"global", "local", "shared", "const"}
	var parts []string
	for _, list := range []*spaceTraffic{&t.load, &t.store, &t.atomic, &t.reduced} {
		for k, s := range list {
			if s.Requests > 0 {
				parts = append(parts, fmt.Sprintf("%d %s requests with %d transactions, %d bytes, %d of them distinct",
					s.Requests, spaces[k], s.Transactions, s.Bytes, s.UniqueBytes))
			}
		}
	}
	if parts == nil {
		return "nothing"
	}
	return strings.Join(parts, "; ")
}

// trafficByInstruction sums what each instruction's accesses moved, in all
// repetitions of the launch; nil where the mode does not count it.
func (lp *LaunchProfile) trafficByInstruction() map[ir.PC]*traffic {
	o, times := lp.outcome, lp.standsFor()
	var sums map[ir.PC]*traffic
	for i, res := range o.results {
		if res.Traffic == nil {
			continue
		}
		if sums == nil {
			sums = map[ir.PC]*traffic{}
		}
		for k := range res.Traffic.Accesses {
			a := &res.Traffic.Accesses[k]
			if sums[a.PC] == nil {
				sums[a.PC] = &traffic{}
			}
			sums[a.PC].addAccesses([]emulator.AccessTraffic{*a}, o.parts[i].weight*times)
		}
	}
	return sums
}
