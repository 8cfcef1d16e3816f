package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
)

// TestNoteRemarks: each remark of a column is told once, with the number of its
// rows; those that differ in numbers alone are one; of very many some are told.
func TestNoteRemarks(t *testing.T) {
	var out bytes.Buffer
	a := newApp(nil, io.Discard, &out)
	rows := []string{"blocks: 4; short", "", "blocks: 80", "short"}
	noteRemarks(a, "warnings", rows, func(s string) []string { return strings.Split(s, "; ") })
	if want := "hyptx: note: warnings: blocks: 4 (2 rows, with other numbers too)\nhyptx: note: warnings: short (2 rows)\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
	out.Reset()
	noteRemarks(a, "missing", []string{"a", "b", "c", "d", "e", "f", "g"}, func(s string) []string { return []string{s} })
	if got := out.String(); strings.Count(got, "\n") != 6 || !strings.HasSuffix(got, "hyptx: note: 2 remarks more in the column missing\n") {
		t.Errorf("%s", got)
	}
}

// TestRemarksAreTold: what stands only in a column of a file is said, by each
// command, once for all rows; --quiet keeps it back.
func TestRemarksAreTold(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", strings.Replace(kernel(".param .u32 n", tail), "ret;\n}\n", "ret;\n}\n.visible .entry j(.param .u32 n)\n{\nret;\n}\n", 1))
	put(t, "slow.csv", "launch,time_us\n0,0.001\n1,0.001\n")
	for _, c := range []struct{ args, want string }{
		{"profile k.ptx -o p.csv", `assumed_inputs: .* \(\d rows?.*\)`},
		{"roofline k.ptx --gpu gv100 -o p.csv", `assumed_inputs: .* \(\d rows?.*\)`},
		{"roofline k.ptx --gpu gv100", `warnings: blocks: \d+, fewer than 90 \(2 rows\)`},
		{"roofline k.ptx --gpu gtx-480 -o p.csv", `missing: GPU gtx-480: unknown are launch_overhead_us, .* \(1 row\)`},
		{"power k.ptx --gpu gv100 --time slow.csv --counts machine -o p.csv", `implausible: .* \(\d rows?.*\)`},
	} {
		r := hyptx(strings.Fields(c.args)...)
		match(t, c.args, r.errOut, "(?m)^hyptx: note: "+c.want+"$")
		if q := hyptx(append(strings.Fields(c.args), "--quiet")...); strings.Contains(q.errOut, "note:") {
			t.Errorf("%s --quiet: %s", c.args, q.errOut)
		}
	}
}

// TestNoTimes: a GPU on which no launch has a time is an error that says why;
// those beside it are written all the same.
func TestNoTimes(t *testing.T) {
	t.Chdir(t.TempDir())
	r := hyptx("roofline", vectorAdd, "--gpu", "gv100,gtx-480", "-o", "r.csv").must(t, exitInput)
	match(t, "stderr", r.errOut, `(?m)^hyptx: no launch has a time on gtx-480: unknown are launch_overhead_us, `)
	var with []string
	for _, row := range readCSV(t, read(t, "r.csv")) {
		with = append(with, fmt.Sprint(row["gpu"], row["time_us"] != ""))
	}
	if strings.Join(with, " ") != "gv100true gv100true gtx-480false gtx-480false" {
		t.Error(with)
	}
}
