package thesis

import (
	"strings"
	"testing"
)

func TestWarnings(t *testing.T) {
	for _, c := range []struct {
		name string
		e    Evidence
		want string // of the only warning; "" for none
	}{
		{"nothing known", Evidence{}, ""},
		{"good", Evidence{BlockThreads: 64, Blocks: 90, Invocations: 2, ReferenceSeconds: 1e-3, DRAMBytes: 1, L2Bytes: 2,
			Utilization: map[string]int{"dram": 7, "l2": 7}}, ""},
		{"small block", Evidence{BlockThreads: 63}, "threads a block: 63, fewer than 64"},
		{"few blocks", Evidence{Blocks: 89}, "blocks: 89, fewer than 90"},
		{"hs-pack", Evidence{Invocations: 4, ReferenceSeconds: 1.469e-3}, "0.367 ms an invocation on the reference GPU, less than 0.5 ms"},
		{"nn-euc", Evidence{Invocations: 1, ReferenceSeconds: 7.42e-6}, "0.00742 ms an invocation on the reference GPU, less than 0.1 ms"},
		{"l2", Evidence{DRAMBytes: 10, L2Bytes: 21}, "L2 moves 2.1 times the bytes of DRAM and is not in the model"},
		{"idle", Evidence{Utilization: map[string]int{"dram": 4, "alu_fu": 1}}, "nothing is utilised (most: dram, 4 of 10): bound by latency, the time is a lower bound"},
		{"mid", Evidence{Utilization: map[string]int{"dram": 6}}, "nothing is utilised highly (most: dram, 6 of 10): the time may be a lower bound"},
		{"l2 first", Evidence{Utilization: map[string]int{"dram": 6, "l2": 8, "issue_slot": 91}}, "l2 is utilised most (8 of 10) and is not in the model"},
	} {
		got := strings.Join(c.e.Warnings(), "; ")
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if Eligible(63, 90) || Eligible(64, 89) || !Eligible(64, 90) {
		t.Error("the filter")
	}
}

// TestUtilizations counts what section 5.2.6 says of table 5.17: L2 is the
// highest in 13 of the cells, in 7 of them at least 7.
func TestUtilizations(t *testing.T) {
	gpus := []string{"GTX-480", "GTX-660", "GTX-960", "GTX-1060 6GB", "Tesla M2050", "Tesla K20c"}
	l2, high, distrusted := 0, 0, 0
	for _, r := range facts(t, "utilization.tsv") {
		for _, g := range gpus {
			metric, value := r[g+" metric"], int(r.num(t, g+" value"))
			e := Evidence{Utilization: map[string]int{metric: value}}
			w := e.Warnings()
			if metric == "l2" {
				l2++
				if value >= 7 {
					high++
				}
			}
			if (len(w) == 0) != (value >= 7 && metric != "l2") {
				t.Errorf("%s on %s (%s, %d): %v", r["kernel"], g, metric, value, w)
			}
			if len(w) > 0 && strings.Contains(w[0], "not in the model") {
				distrusted++
			}
		}
	}
	if l2 != 13 || high != 7 || distrusted != 7 {
		t.Errorf("l2 is highest in %d cells, %d of them high, %d distrusted", l2, high, distrusted)
	}
}
