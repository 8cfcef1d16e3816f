package stream

// The CTAs of a cluster reach into each other's shared memory: they load and store there,
// copy to it, and change each other's mbarrier objects. Which CTAs an instruction of a warp
// has reached, with how many bytes, and which objects heard of it is a step of its own,
// behind that of the access where this has one.

// Sent is what an instruction does to the shared memory of one CTA of the cluster.
type Sent struct {
	// Data is the rank of the CTA whose memory it accesses, Bytes of it.
	Data  int
	Bytes uint64
	// To is the CTA with the object that hears of it, nil if none does: of rank Rank, at
	// Addr of its shared memory, in a phase of a parity now.
	To           *CTA
	Rank         int
	Addr, Parity uint64
}

// Send appends to t what an instruction does to CTAs of the cluster. What hears of it, and
// has no room in the trace, hears of it all the same.
func (t *Trace) Send(pc uint32, list []Sent) {
	n := min(len(list), maxSent)
	*t = append(*t, SendStep<<stepShift|Step(pc)|Step(n)<<stepHigh)
	for i := range list {
		s := &list[i]
		object := 0
		if s.To != nil {
			if object = s.To.object(s.Addr); object > 0 {
				s.To.event(object, i < n, s.Parity)
			}
		}
		if i < n {
			*t = append(*t, Step(s.Rank)|Step(s.Data)<<dataShift|Step(object)<<heardShift|Step(min(s.Bytes, maxSentBytes))<<sentShift)
		}
	}
}

// A word behind a SendStep: bits 0-3 are the rank of the CTA whose object hears, 4-7 that
// of the one whose memory is accessed, 8-20 the object, 0 for none, 24-63 the bytes.
const (
	dataShift    = 4
	heardShift   = 8
	sentShift    = 24
	rankMask     = 15
	maxSentBytes = 1<<40 - 1
	// maxSent is how many words a step has: more than 32 lanes that reach 16 CTAs each.
	maxSent = 1<<10 - 1
)

// Follows is how many words follow a step of its kind.
func (s Step) Follows() int {
	switch s.Kind() {
	case AccessStep:
		return s.Touches()
	case SendStep:
		return int(s >> stepHigh & maxSent)
	}
	return 0
}

// Sent reads a word that follows a SendStep.
func (s Step) Sent() (rank, data, object int, bytes uint64) {
	return int(s & rankMask), int(s >> dataShift & rankMask), int(s >> heardShift & maxPasses), uint64(s >> sentShift)
}
