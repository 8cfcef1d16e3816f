package vary

import "fmt"

// Signs says in which direction results are moved.
type Signs uint8

// The directions. Those by something are up for one half of what they go by
// and down for the other.
const (
	Still         Signs = iota // nothing is moved
	Up                         // everything up
	Down                       // everything down
	ByLane                     // by the parity of the lane
	ByInstruction              // by the parity of the instruction's place among those that are moved
	ByInput                    // by a hash of the operands: as a function with an error of its own would
	ByAll                      // by a hash of thread, instruction and operands
)

// Reach says how far results are moved within what is allowed.
type Reach uint8

// The reaches. What hangs on a result's last bits, its parity for one, may be
// the same at both edges of a bound and another between them.
const (
	Edge   Reach = iota // to the edge
	Half                // half of the values on the way there
	Inside              // as many as a hash of the operands says, from none to all
)

// Variation is a machine that obeys the manual and yet differs from the
// emulator. Each run with it is one that could happen. The zero value is the
// emulator itself.
type Variation struct {
	Name  string
	Signs Signs
	Reach Reach
	// Seed picks the hash.
	Seed uint64
	// Fused: every mul and add that may be contracted is. Otherwise Signs picks
	// the larger or the smaller of the results.
	Fused bool
	// Reverse: CTAs begin, and their warps take turns, in descending order, and
	// the lanes of an atomic operation come in descending order.
	Reverse bool
	// Shuffle: CTAs begin, warps and the paths of a warp take turns, and the lanes of
	// an atomic operation come in an order that Seed picks.
	Shuffle bool
	// NaNs: results whose NaN payload is unspecified have another one.
	NaNs bool
	// Unbounded: results without a documented bound, and no others, are moved by
	// an arbitrary 1/64, so that what depends on them shows. Signs is Still.
	Unbounded bool
	// Order: nothing is moved; what memory holds is followed back to what the
	// order of threads decides (Buffer.Scheduled).
	Order bool
	// Record: the totals of atomic additions go to Sums. Otherwise they are
	// moved by what Sums, if there is one, allows.
	Record bool
	Sums   *Sums
}

// Site is one result of one thread.
type Site struct {
	PC, Index int32 // Index: the instruction's place among those that are moved
	CTA       int64
	Warp      int32
	Lane      int32
	Input     uint64 // a hash of the operands, or the operand
}

// Up reports the direction in which the result is moved; moved is false where
// it is not.
func (v *Variation) Up(s Site) (up, moved bool) {
	switch v.Signs {
	case Up, Down:
		return v.Signs == Up, true
	case ByLane:
		return s.Lane&1 == 0, true
	case ByInstruction:
		return s.Index&1 == 0, true
	case ByInput:
		return Mix(v.Seed, s.Input)&1 == 0, true
	case ByAll:
		thread := uint64(s.CTA)<<10 ^ uint64(s.Warp)<<5 ^ uint64(s.Lane)
		return Mix(Mix(Mix(v.Seed, uint64(s.PC)), thread), s.Input)&1 == 0, true
	}
	return false, false
}

// Stop returns the value at which a result comes to rest that could be moved
// from nominal to edge.
func (v *Variation) Stop(f Format, nominal, edge uint64, s Site) uint64 {
	if v.Reach == Edge || nominal == edge || f.IsNaN(nominal) || f.IsNaN(edge) {
		return edge
	}
	n, step := f.Distance(nominal, edge), 1
	if f.order(edge) < f.order(nominal) {
		step = -1
	}
	if v.Reach == Half {
		n -= n / 2
	} else {
		n = Mix(v.Seed^1<<63, s.Input) % (n + 1)
	}
	return f.Step(nominal, step*int(n))
}

// Mix joins a value to a hash: the finaliser of splitmix64 (Steele, Lea, Flood:
// Fast Splittable Pseudorandom Number Generators, 2014).
func Mix(h, x uint64) uint64 {
	z := h*0x9e3779b97f4a7c15 + x + 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Standard returns the variations that tolerances are made from, without the
// recording one. sums may be nil. Most go by input: an approximation is a
// function in hardware, too, so that one operand has one error in all threads,
// and errors that independent signs would average away stay.
func Standard(sums *Sums) []*Variation {
	list := []*Variation{
		{Name: "fused", Fused: true, NaNs: true},
		{Name: "up", Signs: Up},
		{Name: "down", Signs: Down},
		{Name: "by lane", Signs: ByLane},
		{Name: "by instruction", Signs: ByInstruction},
		{Name: "random", Signs: ByAll, Seed: 1, Reverse: true},
	}
	for i := range uint64(6) {
		list = append(list, &Variation{Name: fmt.Sprint("by input ", i+1), Signs: ByInput, Seed: i + 1, Fused: i%2 == 1, Reverse: i%3 == 1})
	}
	list = append(list, &Variation{Name: "half up", Signs: Up, Reach: Half}, &Variation{Name: "half down", Signs: Down, Reach: Half})
	for i := range uint64(3) {
		list = append(list, &Variation{Name: fmt.Sprint("inside ", i+1), Signs: ByInput, Reach: Inside, Seed: i + 11})
	}
	for _, v := range list {
		v.Sums = sums
	}
	return list
}

// Reversed returns the variation that differs in the order of threads alone.
func Reversed() *Variation { return &Variation{Name: "reverse", Reverse: true} }

// Ordered returns the variation that shows what depends on the order of threads.
func Ordered() *Variation { return &Variation{Name: "order", Order: true} }

// Unbounded returns the variation that shows what depends on results without a
// documented bound.
func Unbounded() *Variation {
	return &Variation{Name: "unbounded", Unbounded: true}
}
