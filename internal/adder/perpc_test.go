package adder

import "testing"

// TestPCsOfPages: instructions are counted apart that share a page, also one that is met for the first
// time by the addition that fills it; what is counted by instruction is what is counted of all.
func TestPCsOfPages(t *testing.T) {
	o := DefaultOptions()
	o.PerPC = true
	m, err := NewModel(o)
	if err != nil {
		t.Fatal(err)
	}
	l := m.Launch(1, Lanes, 1)
	c := l.Begin(0)
	g := splitmix(3)
	const adds = 3 * pageLength
	for n := range uint32(adds) {
		var a, b [Lanes]uint32
		for lane := range a {
			a[lane], b[lane] = uint32(g.next()), uint32(g.next())
		}
		pc := n / (pageLength - 1) // the 16th is the first of its instruction
		c.Streams[0].Narrow(At{PC: pc, Number: pc}, Int32, ^uint32(0), 0, &a, &b, false)
	}
	l.End(c)
	r := l.Result()
	var executions, missed uint64
	for i := range r.PCs {
		executions += r.PCs[i].Executions
		missed += r.PCs[i].Mispredicted
	}
	if len(r.PCs) != 4 || r.PCs[3].Executions != 3*Lanes || executions != adds*Lanes {
		t.Errorf("%d instructions, %d additions, want 4 with %d", len(r.PCs), executions, adds*Lanes)
	}
	if all := r.Counts[m.chosen][Int32].Mispredicted; missed != all || missed == 0 {
		t.Errorf("%d mispredicted by instruction, %d in all", missed, all)
	}
}
