package order

// Origin is a set of reasons why a value is not exact (docs/design.md, Exactness).
type Origin uint8

// The reasons, from the strongest statement about a value to the weakest.
const (
	// Scheduled: it depends on the order of warps or CTAs, or on a clock.
	Scheduled Origin = 1 << iota
	// Undefined: the manual leaves it open within one warp (the order of lanes
	// and paths, a shuffle from an absent lane, a division by zero), or it
	// belongs to the machine (%smid).
	Undefined
	// Assumed: it depends on data or a launch that nobody gave.
	Assumed
)

// Payload: it is a NaN of which the manual leaves open which. That is no reason yet: it
// becomes Undefined for who reads its bits (Lanes.ReadBits).
const Payload = Assumed << 1

// Located: it is, or was computed from, the number of an address of which only the machine knows
// where it lies. It becomes Undefined for who decides on it (Lanes.Decide).
const Located = Payload << 1

// Foreign: another thread has handed it over, and it is Located. It becomes Undefined where it leads to
// local memory, which is private to a thread.
const Foreign = Located << 1

// State: it is the state that an arrival at an mbarrier has returned. That is no reason, but a mark:
// what has it not is no state.
const State = Foreign << 1

// marks are what says nothing of whether a value is exact.
const marks = Located | Foreign | State

// initial marks the origin of a word that nobody has written since the host gave
// it.
const initial Origin = 1 << 7

// Reasons is how many there are: reason i is Origin(1<<i).
const Reasons = 3

// kinds are the reasons, Payload and the marks.
const kinds = Reasons + 4

// Lanes are the origins of a register: for each reason the lanes whose value has
// it, and what is the first cause among them (see Log; 0 is none).
type Lanes struct {
	By    [kinds]uint32
	Cause Cause
}

// Or combines the origins of two operands.
func (t Lanes) Or(u Lanes) Lanes {
	for i := range t.By {
		t.By[i] |= u.By[i]
	}
	if t.Cause == 0 {
		t.Cause = u.Cause
	}
	return t
}

// And leaves the origins of some lanes.
func (t Lanes) And(m uint32) Lanes {
	for i := range t.By {
		t.By[i] &= m
	}
	return t
}

// Exact reports whether no lane has an origin.
func (t *Lanes) Exact() bool { return t.By == [kinds]uint32{} }

// Add gives some lanes more origins.
func (t *Lanes) Add(lanes uint32, from Origin, cause Cause) {
	for i := range t.By {
		if from>>i&1 != 0 {
			t.By[i] |= lanes
		}
	}
	if from != 0 && t.Cause == 0 {
		t.Cause = cause
	}
}

// ReadBits makes what an instruction that reads bits has of open NaNs Undefined.
func (t *Lanes) ReadBits() {
	t.By[1] |= t.By[Reasons]
	t.By[Reasons] = 0
}

// Decide makes what a decision has of open NaNs and of numbers of addresses Undefined, and reports
// whether it has any of these.
func (t *Lanes) Decide() bool {
	located := t.By[Reasons+1]
	t.ReadBits()
	t.By[1] |= located
	t.By[Reasons+1], t.By[Reasons+2] = 0, 0
	return located != 0
}

// Located returns the lanes whose value depends on the number of an address.
func (t *Lanes) Located() uint32 { return t.By[Reasons+1] }

// Leave makes the values of lanes not depend on those.
func (t *Lanes) Leave(lanes uint32) {
	t.By[Reasons+1] &^= lanes
	t.By[Reasons+2] &^= lanes
}

// HandOver makes the numbers of addresses among the values those of other threads.
func (t *Lanes) HandOver() { t.By[Reasons+2] |= t.By[Reasons+1] }

// Foreign returns the lanes whose value another thread has handed over as the number of an address.
func (t *Lanes) Foreign() uint32 { return t.By[Reasons+2] }

// States returns the lanes whose value is the state of an mbarrier.
func (t *Lanes) States() uint32 { return t.By[Reasons+3] }

// SetStates makes the values of some lanes such states, and no others.
func (t *Lanes) SetStates(lanes uint32) { t.By[Reasons+3] = lanes }

// DropNaNs makes what an instruction has of open NaNs exact that does not read their bits.
func (t *Lanes) DropNaNs() { t.By[Reasons] = 0 }

// Of returns a lane's origin.
func (t *Lanes) Of(lane int) (from Origin) {
	for i := range t.By {
		from |= Origin(t.By[i]>>lane&1) << i
	}
	return from
}

// Any returns the origins that any lane has.
func (t *Lanes) Any() (from Origin) {
	for i := range t.By {
		if t.By[i] != 0 {
			from |= 1 << i
		}
	}
	return from
}

// Spread gives the lanes of m what any of them has: the result of an exchange
// depends on what all give.
func (t Lanes) Spread(m uint32) Lanes {
	for i := range t.By {
		if t.By[i] &= m; t.By[i] != 0 {
			t.By[i] = m
		}
	}
	return t
}

// Set replaces the origins of some lanes by those of u, which has no others.
func (t *Lanes) Set(lanes uint32, u Lanes) {
	for i := range t.By {
		t.By[i] = t.By[i]&^lanes | u.By[i]
	}
	if t.Exact() {
		t.Cause = 0
	} else if !u.Exact() {
		t.Cause = u.Cause
	}
}
