package emulator

import (
	"strings"

	"hyptx/emulator/internal/lanes"
	"hyptx/ir/isa"
)

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
}

// special returns the place of something that a frame holds from its start.
func (c *compiler) special(key sregKey) operand {
	for _, s := range c.fn.sregs {
		if s.key == key {
			return operand{off: s.off, mask: -1}
		}
	}
	off := int32(c.fn.slots)
	c.fn.slots += 2
	c.fn.sregs = append(c.fn.sregs, sregSlot{key, off})
	return operand{off: off, mask: -1}
}

// fillSpecial writes the special registers that a function reads into its new
// frame.
func (w *warp) fillSpecial(f *frame) {
	for _, s := range f.fn.sregs {
		slot := &w.worker.arena[f.base+int(s.off)]
		if s.key.local {
			v := uint64(f.localBase + s.key.offset)
			d := wide(slot)
			for i := range d {
				d[i] = v
			}
			continue
		}
		w.readSpecial(slot, s.key.sreg)
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

// readSpecial writes a special register's value for all lanes.
func (w *warp) readSpecial(slot *lanes.Slot, r isa.SReg) {
	name := r.String()
	if fill := laneSpecials[name]; fill != nil {
		for i := range slot {
			slot[i] = fill(w, uint32(i))
		}
		return
	}
	v := uint64(0)
	if read := warpSpecials[name]; read != nil {
		v = read(w)
	}
	if r.Type().Bits() == 64 {
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

// laneSpecials are the special registers that differ between the lanes of a
// warp (PTX ISA 10.1, 10.3, 10.18 to 10.22).
var laneSpecials = map[string]func(w *warp, lane uint32) uint32{
	"%tid.x":       func(w *warp, lane uint32) uint32 { return w.thread(int(lane))[0] },
	"%tid.y":       func(w *warp, lane uint32) uint32 { return w.thread(int(lane))[1] },
	"%tid.z":       func(w *warp, lane uint32) uint32 { return w.thread(int(lane))[2] },
	"%laneid":      func(_ *warp, lane uint32) uint32 { return lane },
	"%lanemask_eq": func(_ *warp, lane uint32) uint32 { return 1 << lane },
	"%lanemask_lt": func(_ *warp, lane uint32) uint32 { return 1<<lane - 1 },
	"%lanemask_le": func(_ *warp, lane uint32) uint32 { return 2<<lane - 1 },
	"%lanemask_gt": func(_ *warp, lane uint32) uint32 { return ^uint32(2<<lane - 1) },
	"%lanemask_ge": func(_ *warp, lane uint32) uint32 { return ^uint32(1<<lane - 1) },
}

// warpSpecials are those that all lanes of a warp read alike. What stands in
// neither table reads 0. Launches have no clusters yet: each CTA is its own.
var warpSpecials = map[string]func(w *warp) uint64{
	"%ntid.x":            func(w *warp) uint64 { return uint64(w.worker.launch.block[0]) },
	"%ntid.y":            func(w *warp) uint64 { return uint64(w.worker.launch.block[1]) },
	"%ntid.z":            func(w *warp) uint64 { return uint64(w.worker.launch.block[2]) },
	"%ctaid.x":           func(w *warp) uint64 { return uint64(w.cta.id[0]) },
	"%ctaid.y":           func(w *warp) uint64 { return uint64(w.cta.id[1]) },
	"%ctaid.z":           func(w *warp) uint64 { return uint64(w.cta.id[2]) },
	"%nctaid.x":          func(w *warp) uint64 { return uint64(w.worker.launch.grid[0]) },
	"%nctaid.y":          func(w *warp) uint64 { return uint64(w.worker.launch.grid[1]) },
	"%nctaid.z":          func(w *warp) uint64 { return uint64(w.worker.launch.grid[2]) },
	"%warpid":            func(w *warp) uint64 { return uint64(w.number) },
	"%nwarpid":           func(*warp) uint64 { return 64 },
	"%smid":              func(w *warp) uint64 { return uint64(w.cta.linear) % uint64(max(w.worker.launch.SMs, 1)) },
	"%nsmid":             func(w *warp) uint64 { return uint64(max(w.worker.launch.SMs, 1)) },
	"%gridid":            func(w *warp) uint64 { return w.worker.launch.GridID },
	"%clusterid.x":       func(w *warp) uint64 { return uint64(w.cta.id[0]) },
	"%clusterid.y":       func(w *warp) uint64 { return uint64(w.cta.id[1]) },
	"%clusterid.z":       func(w *warp) uint64 { return uint64(w.cta.id[2]) },
	"%nclusterid.x":      func(w *warp) uint64 { return uint64(w.worker.launch.grid[0]) },
	"%nclusterid.y":      func(w *warp) uint64 { return uint64(w.worker.launch.grid[1]) },
	"%nclusterid.z":      func(w *warp) uint64 { return uint64(w.worker.launch.grid[2]) },
	"%cluster_nctaid.x":  func(*warp) uint64 { return 1 },
	"%cluster_nctaid.y":  func(*warp) uint64 { return 1 },
	"%cluster_nctaid.z":  func(*warp) uint64 { return 1 },
	"%cluster_nctarank":  func(*warp) uint64 { return 1 },
	"%dynamic_smem_size": func(w *warp) uint64 { return uint64(w.worker.launch.DynamicBytes) },
	"%total_smem_size":   func(w *warp) uint64 { return uint64(w.worker.launch.shared) },
}
