package emulator

import (
	"strings"

	"hyptx/emulator/internal/lanes"
	"hyptx/ir/isa"
)

// Special registers that a kernel reads are written into its frame when it begins:
// they are constant for a thread, and reading %tid.x is then reading a register.
// The address of a local variable is such a thing as well, since it depends on how
// deep the call is. Only clocks change while a thread runs; they are read when the
// mov executes. A clock here counts warp instructions of the CTA, which makes it
// the same on every run, and says nothing of time.

// sregKey names something that a frame holds from its start: a special
// register, or the address of a local variable.
type sregKey struct {
	sreg   isa.SReg
	local  bool
	offset int64
}

// sregSlot is where a frame holds it.
type sregSlot struct {
	key sregKey
	off int32
	// How it is read, found once for all frames: lane for what differs between
	// lanes, vector and warp for what does not, axis of the first two; none of them
	// is 0. bits is its width.
	lane   func(w *warp, lane int) [3]uint32
	vector func(w *warp) [3]uint32
	warp   func(w *warp) uint64
	axis   int
	bits   int
}

// fillSpecial writes the special registers that a function reads into its new
// frame.
func (w *warp) fillSpecial(f *frame) {
	for k := range f.fn.sregs {
		s := &f.fn.sregs[k]
		slot := &w.worker.arena[f.base+int(s.off)]
		switch {
		case s.key.local:
			broadcast(slot, 64, uint64(f.localBase+s.key.offset))
		case s.lane != nil:
			for i := range slot {
				slot[i] = s.lane(w, i)[s.axis]
			}
		case s.vector != nil:
			broadcast(slot, s.bits, uint64(s.vector(w)[s.axis]))
		case s.warp != nil:
			broadcast(slot, s.bits, s.warp(w))
		default:
			broadcast(slot, s.bits, 0)
		}
	}
}

// broadcast gives all lanes of a register of 32 or 64 bits one value.
func broadcast(slot *lanes.Slot, bits int, v uint64) {
	if bits == 64 {
		d := wide(slot)
		for i := range d {
			d[i] = v
		}
		return
	}
	for i := range slot {
		slot[i] = uint32(v)
	}
}

// volatile reports whether a special register changes while a thread runs.
func volatile(r isa.SReg) bool {
	name := r.String()
	return strings.HasPrefix(name, "%clock") || strings.HasPrefix(name, "%globaltimer") || strings.HasPrefix(name, "%pm")
}

// clock reads a volatile special register: %clock counts the warp instructions
// that the CTA has issued, %globaltimer as many nanoseconds; performance
// counters read 0.
func (w *warp) clock(r isa.SReg) uint64 {
	issued := uint64(0)
	for i := range w.worker.prog.segs {
		issued += w.counts[2*i] * uint64(w.worker.prog.segs[i].length)
	}
	switch r.String() {
	case "%clock", "%clock64", "%globaltimer", "%globaltimer_lo":
		return issued
	case "%clock_hi", "%globaltimer_hi":
		return issued >> 32
	}
	return 0
}

// find says how a special register is read. What no table knows reads 0.
func (s *sregSlot) find(r isa.SReg) {
	name := r.String()
	base, component, _ := strings.Cut(name, ".")
	s.axis, s.bits = strings.Index("xyz", component), r.Type().Bits()
	if s.axis < 0 {
		return // .w is always 0 (PTX ISA 10.1)
	}
	s.lane, s.vector, s.warp = laneSpecials[base], vectorSpecials[base], warpSpecials[name]
}

// laneSpecials are the special registers that differ between the lanes of a
// warp (PTX ISA 10.1, 10.3, 10.18 to 10.22). Those without components have one
// value.
var laneSpecials = map[string]func(w *warp, lane int) [3]uint32{
	"%tid":         (*warp).thread,
	"%laneid":      func(_ *warp, lane int) [3]uint32 { return [3]uint32{uint32(lane)} },
	"%lanemask_eq": func(_ *warp, lane int) [3]uint32 { return [3]uint32{1 << lane} },
	"%lanemask_lt": func(_ *warp, lane int) [3]uint32 { return [3]uint32{1<<lane - 1} },
	"%lanemask_le": func(_ *warp, lane int) [3]uint32 { return [3]uint32{2<<lane - 1} },
	"%lanemask_gt": func(_ *warp, lane int) [3]uint32 { return [3]uint32{^uint32(2<<lane - 1)} },
	"%lanemask_ge": func(_ *warp, lane int) [3]uint32 { return [3]uint32{^uint32(1<<lane - 1)} },
}

// vectorSpecials are those with the components .x, .y and .z that all lanes of a
// warp read alike.
var vectorSpecials = map[string]func(w *warp) [3]uint32{
	"%ntid":           func(w *warp) [3]uint32 { return w.worker.launch.Block },
	"%ctaid":          func(w *warp) [3]uint32 { return w.cta.id },
	"%nctaid":         func(w *warp) [3]uint32 { return w.worker.launch.Grid },
	"%clusterid":      func(w *warp) [3]uint32 { number, _ := w.cta.inCluster(w.worker.launch); return number },
	"%nclusterid":     func(w *warp) [3]uint32 { return w.worker.launch.shape.of },
	"%cluster_ctaid":  func(w *warp) [3]uint32 { _, in := w.cta.inCluster(w.worker.launch); return in },
	"%cluster_nctaid": func(w *warp) [3]uint32 { return w.worker.launch.shape.in },
}

// warpSpecials are the others. CTAs are dealt out to the SMs in turn: what a GPU
// does at the start of a grid, and for want of clocks here to its end.
var warpSpecials = map[string]func(w *warp) uint64{
	"%warpid":            func(w *warp) uint64 { return uint64(w.number) },
	"%nwarpid":           func(*warp) uint64 { return 64 },
	"%smid":              func(w *warp) uint64 { return uint64(w.cta.linear) % uint64(max(w.worker.launch.SMs, 1)) },
	"%nsmid":             func(w *warp) uint64 { return uint64(max(w.worker.launch.SMs, 1)) },
	"%gridid":            func(w *warp) uint64 { return w.worker.launch.GridID },
	"%cluster_ctarank":   func(w *warp) uint64 { return uint64(w.cta.rankIn(w.worker.launch)) },
	"%cluster_nctarank":  func(w *warp) uint64 { return uint64(w.worker.launch.shape.size) },
	"%dynamic_smem_size": func(w *warp) uint64 { return uint64(w.worker.launch.DynamicBytes) },
	"%total_smem_size":   func(w *warp) uint64 { return uint64(w.worker.launch.shared) },
}

// thread returns %tid of a lane.
func (w *warp) thread(lane int) [3]uint32 {
	b := w.worker.launch.Block
	i := uint32(w.number*32 + lane)
	return [3]uint32{i % b[0], i / b[0] % b[1], i / b[0] / b[1]}
}
