package sim

// replies are answers on their way to an SM, a heap by their times. Equal times come
// in the order in which they were put in.
type replies struct {
	heap  []reply
	count uint64
}

type reply struct {
	at     Tick
	order  uint64
	flight int32
}

func (r *reply) before(o *reply) bool { return r.at < o.at || r.at == o.at && r.order < o.order }

// next returns when the next one arrives.
func (r *replies) next() Tick {
	if len(r.heap) == 0 {
		return never
	}
	return r.heap[0].at
}

// push adds a reply.
func (r *replies) push(at Tick, flight int32) {
	r.count++
	r.heap = append(r.heap, reply{at, r.count, flight})
	h, i := r.heap, len(r.heap)-1
	for i > 0 {
		up := (i - 1) / 2
		if !h[i].before(&h[up]) {
			return
		}
		h[i], h[up] = h[up], h[i]
		i = up
	}
}

// pop takes the next reply out.
func (r *replies) pop() reply {
	h := r.heap
	first, last := h[0], len(h)-1
	h[0] = h[last]
	r.heap = h[:last]
	h = r.heap
	for i := 0; ; {
		down := 2*i + 1
		if down >= last {
			return first
		}
		if down+1 < last && h[down+1].before(&h[down]) {
			down++
		}
		if !h[down].before(&h[i]) {
			return first
		}
		h[i], h[down] = h[down], h[i]
		i = down
	}
}
