package adder

import (
	"cmp"
	"slices"
)

// Value is the result of an addition of a thread that somebody looks at.
type Value struct {
	// Launch numbers the launches that a result is of.
	Launch uint32
	// Time numbers the thread's additions.
	Time   uint64
	PC     uint32
	Thread uint64
	Kind   Kind
	Result int64
}

// MostValues bounds the results that are kept of a launch's SM [ours].
const MostValues = 1 << 16

// watch keeps the results of threads that are looked at.
func (s *SM) watch(t *Stream, pc uint32, x *Vectors) {
	for _, thread := range s.launch.model.Threads {
		lane := thread - t.thread
		if lane >= Lanes || x.Mask>>lane&1 == 0 || len(s.values) == MostValues {
			continue
		}
		a, b, c := x.Operands(int(lane))
		unused := 64 - x.Kind.Bits()
		v := Value{Time: t.time[lane], PC: pc, Thread: thread, Kind: x.Kind, Result: int64(a + b + c)}
		if x.Kind.IsInt() {
			v.Result = v.Result << unused >> unused
		}
		t.time[lane]++
		s.values = append(s.values, v)
	}
}

func (r *Result) sortValues() {
	slices.SortStableFunc(r.Values, func(a, b Value) int { return cmp.Compare(a.Thread, b.Thread) })
}
