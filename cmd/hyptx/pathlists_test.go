package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestPathListsGolden: the lists, the threads and who deviates are those of another
// implementation, and so is the branch efficiency.
func TestPathListsGolden(t *testing.T) {
	const folder = "../../../shared/data/hypa/"
	golden, err := os.ReadFile(folder + "hypa_golden_paths.tsv")
	if err != nil {
		t.Skip(err)
	}
	var want []string
	for line := range strings.Lines(string(golden)) {
		if cells := strings.Split(strings.TrimSpace(line), "\t"); len(cells) == 5 && cells[0] != "cta" {
			want = append(want, strings.Join(cells, " "))
		}
	}
	args := []string{"profile", folder + "hypa_paths.ptx", "--grid", "2", "--block", "32", "--arg", "n=40", "-o", t.TempDir() + "/p.csv"}
	rows := readCSV(t, hyptx(append(args, "--path-lists", "-")...).must(t, exitDone).out)
	for i, r := range rows {
		got := strings.Join([]string{r["cta"], expanded(r["list"]), expanded(r["threads"]), r["count"], r["deviates"]}, " ")
		if i >= len(want) || got != want[i] {
			t.Errorf("row %d: %s\nwant %v", i, got, want[min(i, len(want)-1)])
		}
	}
	if len(rows) != len(want) {
		t.Errorf("%d rows, not %d", len(rows), len(want))
	}
	args[len(args)-1] = "-"
	if r := readCSV(t, hyptx(args...).must(t, exitDone).out)[0]; r["branches"] != "12" || r["divergent_branches"] != "7" || r["branch_efficiency_pct"] != "41.6667" ||
		r["conditional_branches"] != "10" || r["conditional_branch_efficiency_pct"] != "30.0000" {
		t.Errorf("%v", r)
	}
}

// expanded writes runs out: 3*2 and 5-7.
func expanded(list string) string {
	var out []string
	for part := range strings.SplitSeq(list, ",") {
		of, times, isRun := strings.Cut(part, "*")
		from, to, isRange := strings.Cut(part, "-")
		switch {
		case isRun:
			n, _ := strconv.Atoi(times)
			out = append(out, strings.Split(strings.Repeat(of+",", n), ",")[:n]...)
		case isRange:
			a, _ := strconv.Atoi(from)
			b, _ := strconv.Atoi(to)
			for i := a; i <= b; i++ {
				out = append(out, fmt.Sprint(i))
			}
		default:
			out = append(out, part)
		}
	}
	return strings.Join(out, ",")
}

// TestPathLists: labels that nobody jumps to begin blocks, too; blocks of a called function
// come behind the kernel's; two warps are one CTA; CTAs that would stand for each other
// have lists of their own; and so many rounds of a loop are one run.
func TestPathLists(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", header+`.func f(.param .u32 a)
{
	.reg .pred %p; .reg .u32 %r;
	ld.param.u32 %r, [a];
	setp.gt.u32 %p, %r, 40;
	@%p bra OUT;
OUT:
	ret;
}
.visible .entry k()
{
	.reg .pred %p; .reg .u32 %r, %i;
	mov.u32 %r, %tid.x;
FALLEN:
	mov.u32 %i, 0;
	setp.lt.u32 %p, %r, 33;
	@%p bra CALL;
LOOP:
	add.u32 %i, %i, 1;
	setp.lt.u32 %p, %i, 100000;
	@%p bra LOOP;
	bra END;
CALL:
	{
	.param .u32 x;
	st.param.u32 [x], %r;
	call f, (x);
	}
END:
	ret;
}
`)
	rows := readCSV(t, hyptx("profile", "k.ptx", "--kernel", "k", "--grid", "3", "--block", "64", "-o", "p.csv", "--path-lists", "-").must(t, exitDone).out)
	var got []string
	for _, r := range rows {
		got = append(got, strings.Join([]string{r["cta"], r["list"], r["threads"], r["count"], r["deviates"]}, " "))
	}
	var want []string
	for cta := range 3 {
		want = append(want, fmt.Sprint(cta)+" 0,1,3,5,4 0-32 33 0", fmt.Sprint(cta)+" 0,1,2*100000,4 33-63 31 1")
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("lists:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	hyptx("profile", "k.ptx", "--kernel", "k", "--mode", "static", "--path-lists", "l.csv").must(t, exitUsage)
}

// TestGraphClasses: the first CTA decides otherwise than the others and has a graph of
// its own; what a jump needs is a part of it.
func TestGraphClasses(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", kernel(".param .u32 n", `
mov.u32 %r1, %ctaid.y;
mov.u32 %r2, %tid.x;
setp.eq.u32 %p1, %r1, 0;
@%p1 bra FIRST;
add.u32 %r2, %r2, 1;
setp.gt.u32 %p2, %r2, 20;
@%p2 bra DONE;
add.u32 %r2, %r2, 3;
bra DONE;
FIRST:
add.u32 %r2, %r2, 2;
DONE:`))
	args := []string{"graph", "k.ptx", "--grid", "5,3", "--block", "32", "--arg", "n=1"}
	rows := readCSV(t, hyptx(append(args, "--what", "classes")...).must(t, exitDone).out)
	if len(rows) != 2 || rows[0]["ctas"] != "5" || rows[0]["first_cta"] != "0,0,0" || rows[0]["slice"] != "1" || rows[1]["ctas"] != "10" ||
		rows[1]["first_cta"] != "0,1,0" || rows[1]["slice"] != "4" || column(t, rows[1], "nodes") <= column(t, rows[0], "nodes") {
		t.Errorf("%v", rows)
	}
	of := func(more ...string) string { return hyptx(append(args, more...)...).must(t, exitDone).out }
	match(t, "the first CTA", of("--cta", "4,0"), `bra FIRST`)
	if other := of("--cta", "4,2", "--what", "slice"); strings.Contains(other, "ctaid") || !strings.Contains(other, "bra DONE") {
		t.Errorf("the slice of another CTA:\n%s", other)
	}
	match(t, "a jump", of("--what", "slice", "--jump", "3"), `ctaid`)
	for _, c := range []struct {
		more string
		code int
	}{{"--cta 5", exitInput}, {"--cta 1,2,3,4", exitUsage}, {"--cta -1", exitUsage}, {"--what slice --jump 99", exitInput}, {"--jump 3", exitUsage}, {"--what cfg --cta 0", exitUsage}} {
		hyptx(append(args, strings.Fields(c.more)...)...).must(t, c.code)
	}
}
