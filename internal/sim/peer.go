package sim

import (
	"cmp"
	"slices"

	"hyptx/internal/pipe"
)

// CTAs of a cluster reach each other's shared memory over a network between the SMs of
// their GPC. What an SM sends leaves one after the other, as many bytes a cycle as the
// network takes; then it is under way, and takes its turn among what others have sent to
// the same SM. Loads and atomics ask, and the other SM answers as its shared memory does,
// beside what its own warps do there; nobody waits for stores, but an mbarrier may hear of
// them. A window is no longer than the way, so that messages are looked at between windows,
// in the order of their times.
//
// A bulk load of several CTAs (.multicast) is read from the L2 once, and takes the way back
// to each of their SMs ([ours]: no document says where it is copied).

// peers is an SM's part of the network.
type peers struct {
	out Tick // when what it has sent is out
	// in and answers are when it has got what others sent, and has given what they asked for.
	in, answers Tick
	sent        []message
	casts       []cast
	spare       []int32 // of these
}

// message is what an SM tells others in a window.
type message struct {
	at   Tick
	kind messageKind
	// from and to are SMs, bytes what moves.
	from, to int32
	bytes    uint64
	// flight is what waits for the answer.
	flight int32
	// heard is who hears of it.
	heard   heard
	of      *cluster
	ordered bool
}

type messageKind uint8

const (
	stores  messageKind = iota
	asks                // a load, or an atomic with a result
	comes               // a warp to the barrier of its cluster
	leaves              // a warp has ended
	loosens             // nobody of the cluster waits any more
	commits             // tensor cores have done what they were given
)

// heard is an object of a CTA, 0 for none, in the life that the CTA had.
type heard struct {
	cta    *cta
	life   uint32
	sm     int32
	object uint16
}

// heardBy returns the object of a CTA of a cluster that a word of a trace names.
func (g *cluster) heardBy(w reach) heard {
	c := g.ctas[w.rank]
	return heard{c, g.life, g.sms[w.rank], w.object}
}

// passing is what bytes take of the way.
func (m *Config) passing(bytes uint64) Tick {
	return Cycles(float64(bytes) / m.Cluster.BytesPerCycle)
}

// way is how long a message is under way: a load goes there and back, and takes as long as
// one from an SM's own shared memory between; a cycle passes in the queue to the L1.
func (m *Config) way() Tick {
	return max(ticksPerCycle, Cycles((m.Cluster.LatencyCycles-m.Kinds[pipe.LoadShared].LatencyCycles-1)/2))
}

// reach takes an access of shared memory of the cluster's CTAs at t.
func (s *sm) reach(a *access, words []uint64, t Tick) {
	l, g := &s.lsu, a.cta.cluster
	l.free = t + Cycles(max(s.m.L1.CyclesPerAccess, float64(a.record[0]&(1<<blocksShift-1))*s.m.L1.SharedPassCycles))
	l.busy += l.free - t
	var of *access
	for _, word := range words {
		w := reachOf(word)
		switch {
		case w.object == 0 && a.o.ndst > 0 && g != nil:
			if of == nil {
				of = l.take(a.w, a.o)
			}
			f := s.takeOff(0)
			s.await(of, f)
			s.peers.sent = append(s.peers.sent, message{at: t, kind: asks, from: int32(s.number), to: g.sms[w.data], bytes: w.bytes, flight: f})
		case g == nil, g.ctas[w.rank] == a.cta && g.ctas[w.data] == a.cta:
			switch {
			case a.cta.life != a.life || w.object == 0:
			case a.o.commits:
				s.hears(a.cta, a.life, w.object, false, s.committed(t))
			default:
				s.event(a.cta, uint64(w.object), t)
			}
		case a.o.commits:
			s.peers.sent = append(s.peers.sent, message{at: s.committed(t), kind: commits, to: g.sms[w.data], heard: g.heardBy(w)})
		default:
			s.peers.out = max(s.peers.out, t) + s.m.passing(w.bytes)
			s.peers.sent = append(s.peers.sent, message{at: s.peers.out, kind: stores, to: g.sms[w.data], bytes: w.bytes, heard: g.heardBy(w)})
		}
	}
	l.free = max(l.free, s.peers.out-maxOutAhead)
	if of == nil {
		s.finish(a, t+a.o.latency)
	}
}

// deliver looks at what SMs have told others in a window, in the order of time; of what is
// told at the same time that of lower SMs comes first.
func (r *run) deliver() {
	r.messages = r.messages[:0]
	for _, s := range r.sms {
		r.messages = append(r.messages, s.peers.sent...)
		s.peers.sent = s.peers.sent[:0]
	}
	slices.SortStableFunc(r.messages, func(a, b message) int { return cmp.Compare(a.at, b.at) })
	for i := range r.messages {
		r.take(&r.messages[i])
	}
	clear(r.messages) // of what has ended nothing is held
}

// take lets a message come to where it goes.
func (r *run) take(q *message) {
	way := r.m.way()
	switch q.kind {
	case stores:
		to := &r.sms[q.to].peers
		to.in = max(q.at+way, to.in+r.m.passing(q.bytes))
		r.tell(q.heard, q.to, to.in)
	case commits:
		r.tell(q.heard, q.to, q.at+way)
	case asks:
		to, from := &r.sms[q.to].peers, &r.sms[q.from].peers
		to.answers = max(q.at+way, to.answers) + r.m.passing(q.bytes)
		from.in = max(to.answers+Cycles(r.m.Kinds[pipe.LoadShared].LatencyCycles)+way, from.in+r.m.passing(q.bytes))
		r.sms[q.from].replies.push(from.in, q.flight)
	case comes:
		q.of.arrived++
		q.of.ordered = q.of.ordered || q.ordered
		r.meet(q.of, q.at)
	case leaves:
		q.of.alive--
		r.meet(q.of, q.at)
	case loosens:
		for rank, c := range q.of.ctas {
			if c.life == q.of.life && !c.loose {
				r.sms[q.of.sms[rank]].loosen(c, q.at+way)
			}
		}
	}
}

// tell lets an object hear at t of what has come to an SM: that of another CTA later.
func (r *run) tell(h heard, sm int32, t Tick) {
	if h.object == 0 {
		return
	}
	if h.sm != sm {
		t += r.m.way()
	}
	r.sms[h.sm].hears(h.cta, h.life, h.object, false, t)
}

// cast is a bulk load that goes to CTAs of a cluster: how many requests of it are left, and
// where it goes.
type cast struct {
	left int
	to   []castTo
}

// castTo is an SM that gets all of it, at a time, of which an object hears.
type castTo struct {
	sm    int32
	at    Tick
	heard heard
}

// castLoad asks the L2 for the blocks of a copy that goes to CTAs of the cluster, as bulkLoad
// does.
func (s *sm) castLoad(a *access, words []uint64, t Tick) {
	l, g, p := &s.lsu, a.cta.cluster, &s.peers
	n := a.record[0] & (1<<blocksShift - 1)
	if len(p.spare) == 0 {
		p.spare, p.casts = append(p.spare, int32(len(p.casts))), append(p.casts, cast{})
	}
	k := p.spare[len(p.spare)-1]
	p.spare = p.spare[:len(p.spare)-1]
	c := &p.casts[k]
	c.left, c.to = len(words)-int(n), c.to[:0]
	for _, word := range words[:n] {
		w := reachOf(word)
		c.to = append(c.to, castTo{sm: g.sms[w.data], heard: g.heardBy(w)})
	}
	for _, word := range words[n:] {
		s.bulkFree = max(s.bulkFree, t) + Cycles(s.m.L2.RequestCycles)
		l.out = append(l.out, request{at: s.bulkFree, block: word >> 8, mask: uint8(word & 15), kind: castRequest, lanes: 1, flight: k, sm: int32(s.number)})
	}
}

// cast serves a request of a bulk load for several SMs. All requests of a load are served
// in the same window.
func (r *run) cast(q *request, sectors int) {
	p := &r.sms[q.sm].peers
	c := &p.casts[q.flight]
	at := r.memory.fetch(q)
	c.left--
	for i := range c.to {
		to := &c.to[i]
		to.at = max(to.at, r.memory.bring(to.sm, Tick(sectors), at))
		if c.left == 0 {
			r.tell(to.heard, to.sm, to.at)
		}
	}
	if c.left == 0 {
		p.spare = append(p.spare, q.flight)
	}
}
