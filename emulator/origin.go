package emulator

// Origins say where values come from, as far as an exact profile has to know
// it: whether a value depends on data or a launch that nobody gave, or on the
// order in which threads happen to run. A decision on such a value makes the
// counts that follow from it assumed, or scheduled (profile.md, exactness).
//
// Three things have origins. A register has one for each lane (laneOrigins), a
// byte of memory has one together with who touched it last (byteOrigin), and
// what has decided the way of a warp so far makes all that it stores from then
// on depend on it, too (warp.implicit). An instruction passes its operands'
// origins on to its results (originrule.go, originrun.go); a load takes those
// of the bytes, and a byte that another thread may have written at the same
// time depends on the order of the two.
//
// Origins are followed only in programs that are compiled so (Options.Origins),
// through the instructions of a slice, on one worker: the others pay nothing.

// origin is a set of reasons why a value is not exact.
type origin uint8

const (
	assumed   origin = 1 << iota // depends on data or a launch that nobody gave
	scheduled                    // depends on the order in which CTAs or warps run
)

// laneOrigins says of a register in which lanes its value is assumed or
// scheduled.
type laneOrigins struct{ assumed, scheduled uint32 }

// or and and combine the origins of two registers, and leave those of some
// lanes.
func (t laneOrigins) or(u laneOrigins) laneOrigins {
	return laneOrigins{t.assumed | u.assumed, t.scheduled | u.scheduled}
}

func (t laneOrigins) and(m uint32) laneOrigins {
	return laneOrigins{t.assumed & m, t.scheduled & m}
}

// add gives a lane one more origin.
func (t *laneOrigins) add(lane int, from origin) {
	if from&assumed != 0 {
		t.assumed |= 1 << lane
	}
	if from&scheduled != 0 {
		t.scheduled |= 1 << lane
	}
}

// of returns a lane's origin.
func (t laneOrigins) of(lane int) (from origin) {
	if t.assumed>>lane&1 != 0 {
		from |= assumed
	}
	if t.scheduled>>lane&1 != 0 {
		from |= scheduled
	}
	return from
}

// spread gives all lanes what one has.
func spread(t laneOrigins, m uint32) laneOrigins {
	if t.assumed != 0 {
		t.assumed = m
	}
	if t.scheduled != 0 {
		t.scheduled = m
	}
	return t
}

// byteOrigin is where the value of a byte of memory comes from, and who touched
// it last.
type byteOrigin struct {
	from origin
	// how is the operation of the last write: plainStore, or an atomic's.
	how uint8
	// writer and reader are who touched the byte last; shared says that
	// several warps have read it since it was written.
	writer, reader visit
	shared         bool
}

// plainStore is a store as byteOrigin.how; atomics that commute have other
// numbers (howOf).
const plainStore = 1

// visit says who touched a byte and when: a warp of a CTA in a launch, and how
// many barriers of all the CTA's threads had completed by then. The zero visit
// is nobody.
type visit struct {
	launch uint32
	epoch  uint32
	cta    int64
	warp   int32
}

// concurrent reports whether nothing orders two touches by different warps:
// they are in one launch, and in one CTA no barrier of all its threads lies
// between them.
func (s visit) concurrent(t visit) bool {
	if s.launch == 0 || s.launch != t.launch {
		return false
	}
	if s.cta != t.cta {
		return true
	}
	return s.warp != t.warp && s.epoch == t.epoch
}

// read accounts for a read of one byte and returns what its value depends on.
func (c *byteOrigin) read(by visit) origin {
	from := c.from
	if c.writer.concurrent(by) {
		from |= scheduled
	}
	if c.reader.launch == by.launch && (c.reader.cta != by.cta || c.reader.warp != by.warp) {
		c.shared = true
	}
	c.reader = by
	return from
}

// overtaken reports whether a write now would change what a concurrent read
// has seen.
func (c *byteOrigin) overtaken(by visit) bool {
	if c.reader.concurrent(by) {
		return true
	}
	return c.shared && c.reader.launch == by.launch && (c.reader.cta != by.cta || c.reader.epoch == by.epoch)
}

// write accounts for a write of one byte whose value depends on from. The order
// of two atomics that commute does not matter.
func (c *byteOrigin) write(by visit, from origin, how uint8) {
	if c.writer.concurrent(by) && (how != c.how || how == plainStore) {
		from |= scheduled
	}
	if how != plainStore {
		from |= c.from // an atomic keeps what was there
	}
	c.from, c.how, c.writer, c.shared = from, how, by, false
	c.reader = visit{}
}
