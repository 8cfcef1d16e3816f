package analysis

import (
	"fmt"
	"path/filepath"
	"strings"

	"hyptx/internal/number"
	"hyptx/internal/traffic"
	"hyptx/ir"
)

// Package traffic sees accesses: an instruction, a kind, and for each space how many
// requests, transactions and bytes. Profilers see columns: gld_transactions,
// shared_store_transactions. The two tables below are all of the translation.
//
// Textures count apart from the global memory in which they lie, as profilers have it; what
// they move goes the same way through the caches.
//
// The footprint is different in kind: distinct bytes do not add up. Launches keep sets of
// what they touched (of global memory a bitmap; local memory is each thread's own and
// used again by the next launch, so that its size is enough), and a network's is their
// union.
// requestCounters and sectorCounters are where the requests and the
// transactions of accesses of a kind to a memory are counted. Transactions are
// sectors of 32 bytes, in shared memory passes over the banks: an atomic that
// returns what was there is a load of shared memory, one that does not (red) a
// store, and each passes over the banks once.
var (
	requestCounters = [...][traffic.NumSpaces]Counter{
		traffic.Load: {traffic.Global: GlobalLoadRequests, traffic.Local: LocalLoadRequests,
			traffic.Shared: SharedLoadRequests, traffic.Const: ConstRequests, traffic.Texture: TexRequests},
		traffic.Store:  {traffic.Global: GlobalStoreRequests, traffic.Local: LocalStoreRequests, traffic.Shared: SharedStoreRequests, traffic.Texture: TexRequests},
		traffic.Atomic: {AtomicRequests, AtomicRequests, AtomicRequests, AtomicRequests},
		traffic.Reduce: {AtomicRequests, AtomicRequests, AtomicRequests, AtomicRequests, TexRequests},
	}
	sectorCounters = [...][traffic.NumSpaces]Counter{
		traffic.Load:   {traffic.Global: GlobalLoadSectors, traffic.Local: LocalLoadSectors, traffic.Shared: SharedLoadPasses, traffic.Texture: TexSectors},
		traffic.Store:  {traffic.Global: GlobalStoreSectors, traffic.Local: LocalStoreSectors, traffic.Shared: SharedStorePasses, traffic.Texture: TexSectors},
		traffic.Atomic: {traffic.Global: AtomicSectors, traffic.Shared: SharedLoadPasses},
		traffic.Reduce: {traffic.Global: AtomicSectors, traffic.Shared: SharedStorePasses, traffic.Texture: TexSectors},
	}
)

// addAccess adds what an access of a part of a launch moved, n times.
func (f *Facts) addAccess(a *traffic.Access, n uint64) {
	for space := range a.Spaces {
		s := &a.Spaces[space]
		f.add(requestCounters[a.Kind][space], n*s.Requests)
		f.add(sectorCounters[a.Kind][space], n*s.Transactions)
		switch space := traffic.Space(space); space {
		case traffic.Global, traffic.Local, traffic.Texture:
			f.add(BytesRequested, n*s.Bytes)
			f.add(BytesTransferred, n*sectorBytes*s.Transactions)
		case traffic.Shared:
			f.add(SharedBytes, n*s.Bytes)
		}
	}
	global := &a.Spaces[traffic.Global]
	if a.Kind == traffic.Load || a.Kind == traffic.Store { // atomics pass in the L2
		f.add(L1Passes, n*(global.Passes+a.Spaces[traffic.Local].Passes))
	}
	f.add(ConstPasses, n*a.Spaces[traffic.Const].Passes)
	switch a.Kind {
	case traffic.Load:
		f.add(GlobalLoadBytes, n*global.Bytes)
		f.add(GlobalLoadUniqueBytes, n*global.UniqueBytes)
	case traffic.Store:
		f.add(GlobalStoreBytes, n*global.Bytes)
	}
}

// largestTraffic bounds the columns of the memory block from above.
func (o *outcome) largestTraffic() (n float64) {
	for i, res := range o.results {
		n += largestMoved(res.Traffic) * float64(o.partOf(i).weight)
	}
	if o.sampled != nil {
		n += largestMoved(o.sampled.moved)
	}
	return n
}

// largestMoved bounds what was moved; nil is nothing.
func largestMoved(t *traffic.Counts) (n float64) {
	if t == nil {
		return 0
	}
	for k := range t.Accesses {
		for _, s := range t.Accesses[k].Spaces {
			n += float64(s.Bytes) + sectorBytes*float64(s.Transactions)
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

// fillAccess writes the columns of one instruction; a is nil where it is no
// access or the mode does not count them.
func (r *InstrRow) fillAccess(a *traffic.Access) {
	if a == nil {
		return
	}
	var sum traffic.Sum
	for _, s := range a.Spaces {
		sum.Add(s, 1)
	}
	passes := a.Spaces[traffic.Shared].Transactions
	r.MemoryRequests, r.BytesRequested = number.Count(sum.Requests), number.Count(sum.Bytes)
	r.Sectors, r.SharedPasses = number.Count(sum.Transactions-passes), number.Count(passes)
}

// extent is the footprint of what was run.
type extent struct {
	global *traffic.Footprint
	local  uint64 // bytes
	ended  uint64 // bytes that were in global when the program ended
}

// newExtent returns the extent of nothing; nil where nobody counts.
func (s *Session) newExtent() *extent {
	if !s.traffic {
		return nil
	}
	return &extent{global: s.machine.Memory.NewFootprint()}
}

// addExtent joins the footprint of the i-th part that was run. What stands for
// other CTAs or warps has the same global addresses; local memory each thread
// has for itself, and repetitions use the same.
func (o *outcome) addExtent(part *traffic.Footprint, i int64) {
	if o.extent == nil {
		return
	}
	if i < int64(len(o.parts)) {
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

// addTraffic adds what the launch's accesses moved in one of the repetitions
// that were run to f, and returns the requests at inexact addresses, and whether
// there was anything to add.
func (o *outcome) addTraffic(f *Facts) (inexact inexactness, moved bool) {
	if o.sampled != nil {
		f.addMoved(o.sampled.moved, 1, o.parts[0].prog.Module)
		f.addAtomics(o.sampled.moved.Lines)
		o.sampled.moved.Lines, o.sampled.Traffic.Lines = nil, nil
		f.TrafficSampled = true
		f.known.set(FootprintBytes, false)
		inexact.add(o.sampled.Traffic.Inexact, 1)
		return inexact, true
	}
	var lines *traffic.Lines
	for i, res := range o.results {
		t := res.Traffic
		if t == nil {
			continue
		}
		f.addMoved(t, o.partOf(i).weight, o.partOf(i).prog.Module)
		lines = lines.Add(t.Lines, o.partOf(i).weight)
		t.Lines = nil // of each launch only the most is kept
		inexact.add(t.Inexact, 1)
		moved = true
	}
	f.addAtomics(lines)
	return inexact, moved
}

// addMoved adds what the accesses of a module moved, n times.
func (f *Facts) addMoved(t *traffic.Counts, n uint64, m *ir.Module) {
	f.know(blockMoved)
	if pc := t.Uncounted - 1; pc >= 0 {
		f.see(&m.Instrs[pc], filepath.Base(m.FileOf(ir.PC(pc))))
	}
	for k := range t.Accesses {
		f.addAccess(&t.Accesses[k], n)
	}
}

// addAtomics adds what atomics of all parts ask of the line that they ask the most of.
func (f *Facts) addAtomics(of *traffic.Lines) {
	most := of.Most()
	f.add(LineAtomicSectors, most.Sectors)
	f.add(LineAtomicLanes, most.Lanes)
}

// bytes returns the size of the extent.
func (e *extent) bytes() uint64 {
	return e.global.Bytes() + e.local + e.ended
}

// end keeps the size only: a total of many programs needs nothing else, and the set of a
// program takes up to an eighth of what it touched.
func (e *extent) end() {
	if e != nil {
		e.ended += e.global.Bytes()
		e.global.Release()
	}
}

// merge joins a launch's extent to the program's. Local memory is used again
// by the next launch: the largest counts.
func (e *extent) merge(launch *extent) {
	e.global.Merge(launch.global)
	e.local = max(e.local, launch.local)
}

// compareTraffic holds what the accesses moved against full emulation.
func compareTraffic(got, want *LaunchProfile) string {
	a, b := got.accessesByInstruction(), want.accessesByInstruction()
	if a == nil || b == nil {
		return ""
	}
	m := got.Kernel.Module
	for pc := range ir.PC(len(m.Instrs)) {
		if x, y := a[pc], b[pc]; spacesOf(x) != spacesOf(y) {
			return fmt.Sprintf("%s:%d (%s): %s moves %s, full emulation %s",
				got.fileOf(pc), m.Instrs[pc].Pos.Line, m.FuncOf(pc).Text(pc), got.mode(), describeAccess(x), describeAccess(y))
		}
	}
	if x, y := got.Facts.Of(FootprintBytes).N, want.Facts.Of(FootprintBytes).N; x != y {
		return fmt.Sprintf("%s touches %d distinct bytes of memory, full emulation %d", got.mode(), x, y)
	}
	return ""
}

// spacesOf returns what an access moved; nil moved nothing.
func spacesOf(a *traffic.Access) (spaces [traffic.NumSpaces]traffic.Sum) {
	if a == nil {
		return spaces
	}
	return a.Spaces
}

// describeAccess lists what is not zero.
func describeAccess(a *traffic.Access) string {
	names := [traffic.NumSpaces]string{"global", "local", "shared", "const", "texture"}
	var parts []string
	for k, s := range spacesOf(a) {
		if s.Requests > 0 {
			parts = append(parts, fmt.Sprintf("%d %s requests with %d transactions, %d bytes, %d of them distinct",
				s.Requests, names[k], s.Transactions, s.Bytes, s.UniqueBytes))
		}
	}
	if parts == nil {
		return "nothing"
	}
	return strings.Join(parts, "; ")
}

// accessesByInstruction sums what each instruction's accesses moved, in all
// repetitions of the launch; nil where the mode does not count it.
func (lp *LaunchProfile) accessesByInstruction() map[ir.PC]*traffic.Access {
	o, times := lp.outcome, lp.standsFor()
	var sums map[ir.PC]*traffic.Access
	for i, res := range o.results {
		if res.Traffic == nil {
			continue
		}
		if sums == nil {
			sums = map[ir.PC]*traffic.Access{}
		}
		for k := range res.Traffic.Accesses {
			a := &res.Traffic.Accesses[k]
			to := sums[a.PC]
			if to == nil {
				to = &traffic.Access{PC: a.PC, Kind: a.Kind}
				sums[a.PC] = to
			}
			for space, s := range a.Spaces {
				to.Spaces[space].Add(s, o.partOf(i).weight*times)
			}
		}
	}
	return sums
}
