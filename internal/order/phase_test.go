package order

import (
	"slices"
	"testing"
)

// phases is an mbarrier object at 0 of a shadow, in the first CTA's memory.
type phases struct {
	*system
	s *Shadow
}

func newPhases() phases {
	s, _ := newShadow(8)
	return phases{newSystem(), s}
}

// arrive lets a lane arrive, and returns what the questions that it overtakes depend on.
// releases: it also tells what the lane has done before.
func (p phases) arrive(warp, lane int, arrives, completed, releases bool) Origin {
	w, owner := p.warps[warp], &p.ctas[0]
	op := &Op{PC: 1, Writes: true, Atomic: true, Strong: true, Keeps: true, Scope: ScopeGrid, Family: 7}
	op.Phase = owner.Phase(0, arrives, completed)
	overtaken, _ := p.s.Store(w, lane, op, 0, 8, 0, 0, ^uint32(0), 1)
	w.Arrive(lane, owner, 0, releases, completed)
	w.Advance()
	return overtaken
}

// ask lets a lane ask; it returns what the answer depends on.
func (p phases) ask(warp, lane int) Origin {
	op := &Op{PC: 2, Reads: true, Decides: true, Strong: true, Scope: ScopeGrid, Phase: Phased}
	return p.s.load(p.warps[warp], lane, op, 0, 8)
}

// TestPhases: a question depends on the order of threads where the phase could have ended
// before it in another, and only there. Each step is by a lane of a warp: an arrival (a),
// the last one of a phase (e), either without a release (A, E), one that something else
// than arrivals came with (t), a question (q), a barrier of the CTA (b). wrong is the step that finds it, -1 for none.
func TestPhases(t *testing.T) {
	type step struct {
		what       byte
		warp, lane int
	}
	for _, c := range []struct {
		name  string
		wrong int
		steps []step
	}{
		{"all arrive behind their questions", -1, []step{{'q', 0, 0}, {'a', 0, 0}, {'q', 1, 1}, {'e', 1, 1}}},
		{"one may arrive before another asks, and the last has not asked", 2, []step{{'q', 0, 0}, {'a', 1, 0}, {'e', 1, 1}}},
		{"arrivals in the open phase", -1, []step{{'a', 0, 0}, {'a', 0, 1}, {'q', 1, 0}, {'e', 1, 0}}},
		{"the phase may be over", 1, []step{{'e', 0, 0}, {'q', 1, 0}}},
		{"the phase may be over, and who ended it has come to the next", 2, []step{{'e', 0, 0}, {'a', 0, 0}, {'q', 1, 0}}},
		{"the phase is over", -1, []step{{'e', 0, 0}, {'b', 0, 0}, {'q', 1, 0}, {'a', 0, 0}, {'e', 1, 0}}},
		{"an arrival of the phase before may come later", 2, []step{{'a', 0, 0}, {'e', 1, 0}, {'q', 1, 0}}},
		{"an arrival of the next phase may come sooner", 3, []step{{'q', 0, 0}, {'a', 0, 0}, {'e', 1, 0}, {'a', 1, 1}}},
		{"who asks again in the next phase", 3, []step{{'q', 0, 0}, {'e', 0, 0}, {'q', 0, 0}, {'a', 1, 1}}},
		{"who asks again and nobody could be late", -1,
			[]step{{'q', 0, 0}, {'a', 0, 0}, {'e', 1, 0}, {'b', 0, 0}, {'q', 0, 0}, {'a', 1, 1}, {'e', 0, 0}}},
		{"of another CTA one may come sooner", 4, []step{{'q', 0, 0}, {'e', 0, 0}, {'b', 0, 0}, {'q', 0, 0}, {'a', 2, 0}}},
		{"who asks again in the same phase", 3, []step{{'q', 0, 0}, {'A', 0, 0}, {'q', 0, 0}, {'e', 1, 0}}},
		{"the last arrival and one of the next phase", 2, []step{{'E', 0, 0}, {'A', 0, 1}, {'q', 1, 0}}},
		{"bytes are expected", 2, []step{{'t', 0, 0}, {'q', 0, 0}, {'a', 1, 0}}},
		{"bytes are expected later", 3, []step{{'q', 0, 0}, {'a', 0, 0}, {'a', 1, 0}, {'t', 1, 0}}},
		{"bytes were expected before the question", 2, []step{{'a', 1, 0}, {'t', 0, 0}, {'q', 0, 0}}},
	} {
		p, wrong := newPhases(), -1
		p.s.Private = !slices.ContainsFunc(c.steps, func(s step) bool { return s.warp > 1 })
		for i, s := range c.steps {
			var from Origin
			switch s.what {
			case 'q':
				from = p.ask(s.warp, s.lane)
			case 'b':
				p.ctas[0].Barrier(p.warps[:2])
			default:
				from = p.arrive(s.warp, s.lane, s.what != 't', s.what == 'e' || s.what == 'E', s.what >= 'a')
			}
			if from != 0 && wrong < 0 {
				wrong = i
			}
		}
		if wrong != c.wrong {
			t.Errorf("%s: found at step %d, by hand %d", c.name, wrong, c.wrong)
		}
	}
}

// TestPhasesOfMany: very many arrivals in a phase are still of the phase.
func TestPhasesOfMany(t *testing.T) {
	p := newPhases()
	for lane := range 32 {
		for warp := range 2 {
			if p.arrive(warp, lane, true, false, true) != 0 {
				t.Fatal("nobody has asked")
			}
		}
	}
	for i := range 2 * maxListed {
		p.arrive(1, i%32, true, false, true)
	}
	if from := p.ask(0, 0); from != 0 {
		t.Errorf("a question beside arrivals: %d", from)
	}
	if from := p.arrive(0, 0, true, true, true); from != 0 {
		t.Errorf("the last arrival is by who asked: %d", from)
	}
	if from := p.ask(1, 0); from != Scheduled {
		t.Errorf("a question beside the last arrival: %d", from)
	}
}
