package emulator

import (
	"math/bits"

	"hyptx/emulator/internal/lanes"
)

// Lanes that execute a warp-synchronous operation together may name different members.
// The tiles of cooperative groups do, whose masks are computed from the lane:
//
//	mask = 0xff << (lane & 24);
//	sum = __reduce_add_sync(mask, x);    four sums of eight lanes
//
// A lane waits for those of its mask that execute the operation with the same mask (PTX
// ISA 9.7.10.6, 9.7.15.2, 9.7.15.10 to .15). So lanes with one mask are a group that
// has the operation for itself. What the manual leaves open, a mask that names a lane
// which names others, is the business of unmet.

// execGroups runs an operation for each group of some lanes. No group writes what another
// one reads: each lane has its own mask, and its own destination.
func (w *warp) execGroups(in *inst, m uint32) {
	members := w.slot(in.exchange.members)
	for m != 0 {
		group := groupOf(members, m)
		in.exec(w, in, group)
		m &^= group
	}
}

// groupOf returns those of some lanes that name the same members as the first of them.
func groupOf(members *lanes.Slot, m uint32) (group uint32) {
	return naming(members, members[bits.TrailingZeros32(m)], m)
}

// naming returns those of some lanes that name just these members.
func naming(members *lanes.Slot, these, m uint32) (group uint32) {
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		if members[lane] == these {
			group |= 1 << lane
		}
	}
	return group
}

// meeting are lanes at one bar.warp.sync or another, which may stand in different
// functions, with the members that they name.
type meeting struct {
	lanes   uint32
	members lanes.Slot
}

func (t *meeting) add(members *lanes.Slot, m uint32) {
	t.lanes |= m
	for lane := range lanesOf(m) {
		t.members[lane] = members[lane]
	}
}

// partGroups is for a warp of which nothing can run: of paths that wait for members of some
// of their lanes, a group whose own members have all come goes on. It reports whether it
// has found one.
func (w *warp) partGroups() bool {
	for _, p := range w.paths {
		if p.state != atWarpBar {
			continue
		}
		members := w.register(p.frame, p.wait.in.exchange.members)
		for rest := p.mask; rest != 0; {
			first := members[bits.TrailingZeros32(rest)]
			rest &^= naming(members, first, rest)
			if group := naming(members, first, w.waitingWith(p)); first&w.alive&^group == 0 {
				w.letGo(p.wait.in, p.frame, group)
				return true
			}
		}
	}
	return false
}

// waitingWith returns the lanes that wait at the same instruction as a path.
func (w *warp) waitingWith(p *path) (m uint32) {
	for _, q := range w.paths {
		if q.state == atWarpBar && q.wait.in == p.wait.in && q.frame == p.frame {
			m |= q.mask
		}
	}
	return m
}

// letGo executes an operation for a group that waits at it, and parts it from the lanes of
// its paths that wait for others.
func (w *warp) letGo(in *inst, f *frame, group uint32) {
	members := w.register(f, in.exchange.members)
	for i := 0; i < len(w.paths); i++ {
		p := w.paths[i]
		if p.mask&group == 0 {
			continue
		}
		q := p
		if p.mask&^group != 0 {
			q = w.worker.newPath()
			copy(q.rounds, p.rounds)
			q.seg, q.mask, q.frame, q.split = p.seg, p.mask&group, p.frame, p.split
			p.mask &^= group
			p.wait.mask = 0
			for lane := range lanesOf(p.mask) {
				p.wait.mask |= 1<<lane | members[lane]
			}
			w.cur = i
			w.addPath(q)
			i = w.cur
		}
		q.state = ready
	}
	if in.exec != nil {
		w.enter(f)
		in.exec(w, in, group)
	}
}
