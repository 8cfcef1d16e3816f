package sim

import "hyptx/internal/pipe"

// sm is an SM and what is resident on it.
type sm struct {
	m      *Config
	code   *Code
	number int
	cores  []core
	first  int            // core that gets the first warp of the next CTA
	free   [maxUnits]Tick // of the units that sub-cores share
	busy   [maxUnits]Tick // what they were taken for
	lsu    lsu
	lines  codeLines // that the L0 of all sub-cores are filled from
	// bulkFree is when another packet of bulk copies can leave.
	bulkFree Tick
	// tensorFree is when the tensor cores have done what they were given to do by themselves,
	// tensorBusy for how long they did.
	tensorFree, tensorBusy Tick
	peers                  peers
	l1                     tags
	counts                 MemoryCounts // of the L1
	// replies are the answers of the L2 on their way; flights what was asked for.
	replies  replies
	resident []*cta
	places   []bool // of local memory, which CTAs have
	idle     pool
	stalls   [NumReasons]Tick
	// byOp are the stalls of each operation and issues how often it was issued, nil unless
	// somebody asks for them.
	byOp   [][NumReasons]Tick
	issues []uint64
	// kinds is how often instructions of each kind were issued, nil unless somebody asked.
	kinds *[pipe.NumKinds]uint64
	// now is how far the SM has come; active the time in which it had a CTA.
	now, active, begun Tick
	warpTime           Tick // resident warps times time
	wait               memoryWait
	// ended are the CTAs that have ended since the launch last looked.
	ended []End
}

// End is the end of a CTA.
type End struct {
	At  Tick
	CTA *CTA
}

func newSM(m *Config, code *Code, number int) *sm {
	s := &sm{m: m, code: code, number: number, cores: make([]core, m.Cores)}
	program := code.lines(m)
	s.lines = newCodeLines(program, m.Fetch.L1Lines)
	for i := range s.cores {
		s.cores[i] = core{sm: s, next: never, lines: newCodeLines(program, m.Fetch.L0Lines)}
	}
	s.l1.init(int64(m.L1.Bytes), m.L1.Ways)
	s.l1.random = m.L1.Random
	s.lsu.init(m)
	return s
}

// nextEvent returns when something happens next, never if nothing will without a word
// from outside.
func (s *sm) nextEvent() Tick {
	next := min(s.lsu.next(), s.replies.next())
	for i := range s.cores {
		next = min(next, s.cores[i].next)
	}
	return next
}

// run goes on until a time: what happens then is left for later.
func (s *sm) run(until Tick) {
	for {
		reply, access := s.replies.next(), s.lsu.next()
		first, next := 0, s.cores[0].next
		for i := 1; i < len(s.cores); i++ {
			if s.cores[i].next < next {
				first, next = i, s.cores[i].next
			}
		}
		t := min(reply, access, next)
		if t >= until {
			return
		}
		s.now = max(s.now, t)
		switch t {
		case reply:
			s.answer()
		case access:
			s.serve(t)
		default:
			s.cores[first].issue(t)
		}
	}
}

// issued returns how many instructions have been issued.
func (s *sm) issued() (n uint64) {
	for i := range s.cores {
		n += s.cores[i].issued
	}
	return n
}
