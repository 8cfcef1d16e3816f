package mbarrier

import "testing"

func TestPack(t *testing.T) {
	for _, b := range []Object{
		{}, {Expected: 1, Pending: 1}, {Expected: 1, Pending: 1, V1: true, Report: true}, {Expected: mostV1, Pending: mostV1, V1: true, Last: true, Conditional: 1}, {Expected: most, Pending: most, Tx: most, Parity: 1, Conditional: 1}, {Expected: 3, Pending: 2, Tx: -most},
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
		{initialise, 2, Object{Expected: 2, Pending: 2, Tx: 0, Parity: 0}},
		{arrive, 1, Object{Expected: 2, Pending: 1, Tx: 0, Parity: 0}},
		{expectTx, 128, Object{Expected: 2, Pending: 1, Tx: 128, Parity: 0}},
		{arrive, 1, Object{Expected: 2, Pending: 0, Tx: 128, Parity: 0}},
		{CompleteTx, 128, Object{Expected: 2, Pending: 2, Tx: 0, Parity: 1, Conditional: 1}},
		{CompleteTx, 64, Object{Expected: 2, Pending: 2, Tx: -64, Parity: 1, Conditional: 1}}, // before it is expected
		{arrive, 2, Object{Expected: 2, Pending: 0, Tx: -64, Parity: 1, Conditional: 1}},
		{expectTx, 64, Object{Expected: 2, Pending: 0, Tx: 0, Parity: 1, Conditional: 1}}, // expecting completes nothing
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
		"arrival unexpected":  {Object{Expected: 2, Pending: 1, Tx: 0, Parity: 0}, arrive, 2},
		"arrival of none":     {Object{Expected: 2, Pending: 1, Tx: 0, Parity: 0}, arrive, 0},
		"would complete":      {Object{Expected: 2, Pending: 1, Tx: 0, Parity: 0}, arriveOnly, 1},
		"too many bytes":      {Object{Expected: 1, Pending: 1, Tx: most, Parity: 0}, expectTx, 1},
		"too many bytes done": {Object{Expected: 1, Pending: 1, Tx: -most, Parity: 0}, CompleteTx, 1},
	} {
		if c.b.Update(c.op, c.count) == "" {
			t.Errorf("%s: nothing is wrong", name)
		}
	}
}

// TestReports: a copy that reports holds the conditional phase up, and the primary one not; the
// next phase begins without a report (manual 9.7.15.16.8).
func TestReports(t *testing.T) {
	b := Object{Expected: 1, Pending: 1, V1: true}
	for i, s := range []struct {
		report bool
		want   Object
	}{
		{false, Object{Expected: 1, Pending: 1, Parity: 1, V1: true, Conditional: 1}},
		{true, Object{Expected: 1, Pending: 1, Parity: 0, V1: true, Last: true, Conditional: 1}},
		{false, Object{Expected: 1, Pending: 1, Parity: 1, V1: true, Conditional: 0}},
	} {
		b.Report = s.report
		if wrong := b.Update(arrive, 1); wrong != "" || b != s.want {
			t.Errorf("phase %d: %+v %s, want %+v", i, b, wrong, s.want)
		}
	}
	if b.Update(initialise, mostV1+1) == "" {
		t.Error("an object of .layout::v1 expects more than it can")
	}
}
