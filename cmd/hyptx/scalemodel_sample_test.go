package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestScaleModelSample: launches of equal counts are one stratum, others by their counts;
// weights add up to 1, and the first launch stands for the others.
func TestScaleModelSample(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", kernel(".param .u64 x", increment))
	var launches []string
	for _, ctas := range []int{4, 4, 4, 400, 400, 4} {
		launches = append(launches, fmt.Sprintf(`{"module": "k.ptx", "kernel": "k", "grid": [%d], "block": [256], "count": 2, "args": [{"buffer": "x"}]}`, ctas))
	}
	put(t, "m.json", fmt.Sprintf(`{"version": 1, "name": "inc", "buffers": {"x": {"type": "u32", "bytes": 1048576, "init": "zero"}}, "launches": [%s]}`, strings.Join(launches, ",")))
	rows := readCSV(t, hyptx("scalemodel", "sample", "m.json", "-o", "-").must(t, exitDone).out)
	if len(rows) != 2 || rows[0]["launches"] != "8" || rows[0]["representative"] != "0" || rows[1]["launches"] != "4" || rows[1]["representative"] != "3" || rows[1]["tier"] != "3" ||
		column(t, rows[0], "weight")+column(t, rows[1], "weight") != 1 {
		t.Errorf("%v", rows)
	}
	match(t, "how to choose", hyptx("scalemodel", "sample", "m.json").must(t, exitDone).out, `(?m)^--launch 0,3$`)
	// Many strata are one line, which can be copied, though it is wider than any terminal.
	var many []string
	for i := range 40 {
		many = append(many, fmt.Sprintf(`{"module": "k%d.ptx", "kernel": "k", "grid": [4], "block": [256], "args": [{"buffer": "x"}]}`, i))
		put(t, fmt.Sprintf("k%d.ptx", i), strings.Replace(kernel(".param .u64 x", increment), ".entry k(", fmt.Sprintf(".entry k%d(", i), 1))
		many[i] = strings.Replace(many[i], `"kernel": "k"`, fmt.Sprintf(`"kernel": "k%d"`, i), 1)
	}
	put(t, "many.json", fmt.Sprintf(`{"version": 1, "name": "many", "buffers": {"x": {"type": "u32", "bytes": 1048576, "init": "zero"}}, "launches": [%s]}`, strings.Join(many, ",")))
	match(t, "a long list", hyptx("scalemodel", "sample", "many.json").must(t, exitDone).out, `(?m)^--launch 0,1,2,.*,38,39$`)
	put(t, "m.json", strings.Replace(read(t, "m.json"), `"count": 2`, `"count": 30000`, 1))
	match(t, "too many", hyptx("scalemodel", "sample", "m.json").must(t, exitInput).errOut, `more than 20000 launches`)
}
