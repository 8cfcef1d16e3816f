package emulator

import (
	"math/bits"

	"hyptx/emulator/internal/address"
	"hyptx/emulator/internal/lanes"
	"hyptx/emulator/internal/mbarrier"
	"hyptx/emulator/internal/words"
	"hyptx/internal/traffic"
	"hyptx/internal/traffic/stream"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// What a trace says of the CTAs of a cluster (stream.Sent): an instruction may reach several
// of them, and an object of each may hear of it, so that what the lanes do is gathered
// first, and put down when the instruction is over. Launches without clusters have none of
// this but st.async and red.async: whatever they reach is their CTA's own.

// clustered reports whether the launch has clusters of several CTAs.
func (w *warp) clustered() bool { return w.worker.launch.shape.size > 1 }

// tells notes that a lane does something to the shared memory of a CTA of the cluster, at
// data, of which the object at the address bar hears.
func (w *warp) tells(in *inst, lane int, data, bar uint64, bytes uint64) {
	owner, off := w.sharedOf(bar)
	if owner.requests == nil {
		return // nobody traces it
	}
	object := mbarrier.Unpack(words.Get(w.bytesAt(in, lane, isa.Shared, bar, 8, false)))
	to := w.rankAt(data)
	for i := range w.sent {
		if s := &w.sent[i]; s.To == owner.requests && s.Addr == off && s.Data == int(to) {
			s.Bytes += bytes
			s.Parity = object.Parity
			return
		}
	}
	w.sent = append(w.sent, stream.Sent{Data: int(to), Bytes: bytes, To: owner.requests, Rank: int(w.rankAt(bar)), Addr: off, Parity: object.Parity})
}

// heard notes that the work has done something to a CTA's shared memory, at data, of which
// the object at bar has heard: the CTAs of a cluster do so to each other. Bulk copies of one
// that has no others are in the trace with their object.
func (a *asyncWork) heard(space isa.Space, data, bar, bytes uint64) {
	w := a.w
	switch {
	case w.moved.Trace == nil:
	case w.clustered() || a.in.mem.async != nil:
		w.tells(a.in, a.lane, objectAt(space, data), objectAt(space, bar), bytes)
	default:
		object := mbarrier.Unpack(words.Get(w.bytesAt(a.in, a.lane, space, bar, 8, false)))
		w.moved.CTA.Told(objectAt(space, bar), object.Parity)
	}
}

// touches notes that lanes access bytes of a CTA's shared memory of which no object hears.
func (w *warp) touches(rank int, bytes uint64) {
	for i := range w.sent {
		if s := &w.sent[i]; s.To == nil && s.Data == rank {
			s.Bytes += bytes
			return
		}
	}
	w.sent = append(w.sent, stream.Sent{Data: rank, Bytes: bytes})
}

// traceSent puts down what was gathered of an instruction.
func (w *warp) traceSent(in *inst) {
	if len(w.sent) == 0 {
		return
	}
	w.moved.Trace.Send(uint32(in.pc), w.sent)
	w.sent = w.sent[:0]
}

// traceArrivals notes that lanes have changed the objects of CTAs of the cluster: those at
// their addresses, or of multicast arrivals those of all CTAs that a mask names.
func (w *warp) traceArrivals(in *inst, addr *[lanes.Width]uint64, m uint32) {
	object := in.mem.object
	for lane := range lanesOf(m) {
		if object.multicast {
			for ctas := w.slot(object.ctas)[lane]; ctas != 0; ctas &= ctas - 1 {
				at := objectAt(in.mem.space, w.inCTA(in, lane, bits.TrailingZeros32(ctas), in.mem.space, addr[lane]))
				w.tells(in, lane, at, at, 0)
			}
			continue
		}
		at := objectAt(in.mem.space, addr[lane])
		if !object.made {
			w.tells(in, lane, at, at, 0)
		} else if owner, off := w.sharedOf(at); owner.requests != nil {
			owner.requests.Renew(off)
		}
	}
	w.traceSent(in)
}

// tracePeers notes what of an access of shared memory goes to other CTAs of the cluster.
func (w *warp) tracePeers(in *inst, p *traffic.Pattern, addr uint64, size uint8) {
	own := int(w.cta.rankIn(w.worker.launch))
	for rest := p.Lanes; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest) & 31
		if rank, _, ok := address.Rank(addr + p.Distance(lane)); ok && rank != own {
			w.touches(rank, uint64(size))
		}
	}
	w.traceSent(in)
}

// traceBeside lets an instruction be traced though no slice needs it, if what it does takes time
// of its own. It reports whether it does.
func (c *compiler) traceBeside(in *ir.Instr, i *inst) bool {
	return c.prog.traffic && !c.prog.onlyWrites && (c.traceGroups(in, i) || c.traceTensor(in, i))
}

// traceGroups does so for what forms groups of bulk copies or awaits them.
func (c *compiler) traceGroups(in *ir.Instr, i *inst) bool {
	switch in.Inst.Op {
	case isa.OpCpAsyncBulkCommitGroup:
		i.off = -1
	case isa.OpCpAsyncBulkWaitGroup:
		if i.off = int64(uint32(in.Ops()[0].Imm)); named(in.Inst, "read") {
			i.vec = 1
		}
	default:
		return false
	}
	i.exec = execTraceGroups
	return true
}

// execTraceGroups notes cp.async.bulk.commit_group and .wait_group{.read} n.
func execTraceGroups(w *warp, in *inst, m uint32) {
	if w.moved.Trace == nil || m == 0 {
		return
	}
	if in.off < 0 {
		w.moved.CTA.Commit(w.moved.Number)
		return
	}
	w.moved.CTA.AwaitGroups(w.moved.Trace, uint32(in.pc), w.moved.Number, int(in.off), in.vec != 0)
}
