package mbarrier

import "testing"

func TestPack(t *testing.T) {
	for _, b := range []Object{
		{}, {Expected: 1, Pending: 1}, {Expected: most, Pending: most, Tx: most, Parity: 1}, {Expected: 3, Pending: 2, Tx: -most},
	} {
		if got := Unpack(b.Pack()); got != b {
			t.Errorf("%+v packed is %+v", b, got)
		}
	}
}

// The example of the package comment: arrivals and bytes complete a phase
// together, whichever comes last.
func TestPhase(t *testing.T) {
	var b Object
	for i, s := range []struct {
		op    Operation
		count int64
		want  Object
	}{
		{initialise, 2, Object{2, 2, 0, 0}},
		{arrive, 1, Object{2, 1, 0, 0}},
		{expectTx, 128, Object{2, 1, 128, 0}},
		{arrive, 1, Object{2, 0, 128, 0}},
		{CompleteTx, 128, Object{2, 2, 0, 1}},
		{CompleteTx, 64, Object{2, 2, -64, 1}}, // before it is expected
		{arrive, 2, Object{2, 0, -64, 1}},
		{expectTx, 64, Object{2, 0, 0, 1}}, // expecting completes nothing
	} {
		if wrong := b.Update(s.op, s.count); wrong != "" || b != s.want {
			t.Fatalf("step %d: %+v %s, not %+v", i, b, wrong, s.want)
		}
	}
}

func TestWrong(t *testing.T) {
	for name, c := range map[string]struct {
		b     Object
		op    Operation
		count int64
	}{
		"no arrivals":         {Object{}, initialise, 0},
		"too many expected":   {Object{}, initialise, most + 1},
		"arrival unexpected":  {Object{2, 1, 0, 0}, arrive, 2},
		"arrival of none":     {Object{2, 1, 0, 0}, arrive, 0},
		"would complete":      {Object{2, 1, 0, 0}, arriveOnly, 1},
		"too many bytes":      {Object{1, 1, most, 0}, expectTx, 1},
		"too many bytes done": {Object{1, 1, -most, 0}, CompleteTx, 1},
	} {
		if c.b.Update(c.op, c.count) == "" {
			t.Errorf("%s: nothing is wrong", name)
		}
	}
}
