package emulator

import (
	"math/bits"

	"hyptx/internal/check"
)

// Since sm_70 the lanes of a warp are not in step, and an operation that reads other
// lanes names those that take part, its members. On the way through a divergent
// branch the members may be on different paths:
//
//	if (lane < 16) x = f(); else x = g();
//	y = __shfl_sync(0xffffffff, x, 3);       may stand once, or in both branches
//
// Whoever comes first waits until all members that live are at such an operation,
// be it this one or another. Those at the same instruction, in the same call, then
// run it together. Two halves that wait at two different shuffles with all 32 lanes
// as members, which the manual does not define, run each their own: a lane of the
// other half still has its register to read.
//
// Operations without .sync, and those whose members are here already, which is
// nearly always, never wait.
//
// Lanes that execute one instruction together need not be one group: the tiles of a
// warp each name themselves (membergroup.go).

// warpSync ends a segment with an operation that names its member lanes:
// bar.warp.sync, shfl.sync, vote.sync and their like (PTX ISA 9.7.10.6,
// 9.7.15). It waits until all members that have not exited are at such an
// operation; those at the same one then execute it together, so that each
// sees the others' registers as they were.
func (w *warp) warpSync(p *path, s *segment, mask uint32) bool {
	lanes := w.guardLanes(s.in, mask)
	if lanes == 0 {
		return w.take(p, &s.next)
	}
	need, alike := w.members(s.in, lanes)
	if need&w.alive&^lanes == 0 {
		switch {
		case s.in.exec == nil:
		case alike:
			s.in.exec(w, s.in, lanes)
		default:
			w.execGroups(s.in, lanes)
		}
		return w.take(p, &s.next)
	}
	p = w.goOn(p, s, lanes, mask)
	p.wait = waitFor{mask: need, in: s.in}
	p.state = atWarpBar
	w.checkWarpBarriers()
	return p.state == ready
}

// members returns the union of the executing lanes' member masks, and whether all are
// the same. One that does not name its own lane is undefined (PTX ISA 9.7.10.6) and a
// fault; a launch that is lenient takes the lane for a member, as GPUs since sm_70 do,
// which run such an operation with the lanes that are there.
func (w *warp) members(in *inst, lanes uint32) (need uint32, alike bool) {
	members := w.slot(in.exchange.members)
	if in.exchange.members.mask == 0 && lanes&^members[0] == 0 { // a constant, as nearly always
		return members[0], true
	}
	all, outside := fullMask, uint32(0)
	for m := lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		if members[lane]>>lane&1 == 0 {
			if w.checks() {
				w.note(check.Membermask, in.pc, lane)
				outside |= 1 << lane
			} else if w.worker.launch.Lenient {
				w.worker.launch.outside.add(in.pc)
				outside |= 1 << lane
			} else {
				w.fail(in, 1<<lane, "the member mask %#x does not name the executing lane %d", members[lane], lane)
			}
		}
		need |= members[lane]
		all &= members[lane]
	}
	return need | outside, need == all
}

// unmet returns the lanes of a group whose result the manual leaves open: all, if they name
// a live member that is at another operation or names others, for whether they go together
// nothing says; and those of a lenient launch that do not name themselves. To a shuffle
// only the lane that it reads from matters.
func (w *warp) unmet(in *inst, group uint32) uint32 {
	members := w.slot(in.exchange.members)[bits.TrailingZeros32(group)]
	if in.rule.exchanged == nil && members&w.alive&^group != 0 {
		return group
	}
	return group &^ members
}

// checkWarpBarriers lets the paths go on that wait for lanes of their own warp
// which have arrived at such a point as well, or exited.
func (w *warp) checkWarpBarriers() {
	here := uint32(0)
	for _, p := range w.paths {
		if p.state == atWarpBar {
			here |= p.mask
		}
	}
	for _, p := range w.paths {
		if p.state != atWarpBar {
			continue
		}
		if members := w.awaited(p.wait.mask); members&w.alive&^here == 0 {
			w.releaseMembers(members)
		}
	}
}

// awaited returns members, and all whom those of them wait for that wait themselves: a
// path may have lanes of several groups, which go on together.
func (w *warp) awaited(members uint32) uint32 {
	for again := true; again; {
		again = false
		for _, q := range w.paths {
			if q.state == atWarpBar && q.mask&members != 0 && q.wait.mask&^members != 0 {
				members |= q.wait.mask
				again = true
			}
		}
	}
	return members
}

// releaseMembers executes what the waiting paths within members wait at, once
// for all that wait at the same instruction, and makes them ready.
func (w *warp) releaseMembers(members uint32) {
	if w.checks() {
		w.membersElsewhere(members)
	}
	var synced meeting // at one bar.warp.sync or another
	for _, p := range w.paths {
		if p.state != atWarpBar || p.mask&members == 0 {
			continue
		}
		in, f, together := p.wait.in, p.frame, uint32(0)
		for _, q := range w.paths {
			if q.state == atWarpBar && q.wait.in == in && q.frame == f && q.mask&members != 0 {
				together |= q.mask
				q.state = ready
			}
		}
		switch {
		case in.exchange.orders:
			synced.add(w.register(f, in.exchange.members), together)
		case in.exec != nil:
			w.enter(f)
			w.execGroups(in, together)
		}
	}
	for rest := synced.lanes; rest != 0; {
		group := groupOf(&synced.members, rest)
		execWarpOrder(w, nil, group)
		rest &^= group
	}
}

// execWarpOrder puts in order what the lanes of a bar.warp.sync did before it
// and what they do after it.
func execWarpOrder(w *warp, _ *inst, m uint32) {
	if w.worker.prog.decisions > 0 {
		w.order.Sync(m)
	}
	w.lanesMet(m)
}
