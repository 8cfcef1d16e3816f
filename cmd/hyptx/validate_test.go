package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// madeUp is a folder with measurements of a GPU that does not exist.
var madeUp = func() string {
	p, err := filepath.Abs("../../internal/silicon/testdata/made-up")
	if err != nil {
		panic(err)
	}
	return p
}()

// TestValidateSilicon: a row for each measured row, tables on the screen, Markdown
// between its marks.
func TestValidateSilicon(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "v.md", "# Mine\n\n<!-- hyptx validate silicon -->\nzzz\n<!-- end -->\nthe rest\n")
	r := hyptx("validate", "silicon", madeUp, "--csv", "rows.csv", "--md", "v.md", "--worst", "1").must(t, exitDone)
	match(t, "the table", r.out, `(?s)Time\n.*made-up +Imaginary 100 +all .*\nno time \(rows: 1\): no GPU goes by the name Imaginary 101`)
	match(t, "the note", r.errOut, "other.csv has no column set and is passed over")
	rows := readCSV(t, read(t, "rows.csv"))
	if len(rows) != 10 || rows[0]["hyptx_version"] == "" {
		t.Errorf("%d rows: %v", len(rows), rows[0])
	}
	for _, row := range rows {
		if (row["time_us"] == "") != (row["missing"] != "") {
			t.Errorf("%s: %q us, %q", row["program"], row["time_us"], row["missing"])
		}
	}
	again := hyptx("validate", "silicon", "--rows", "rows.csv", "--worst", "1").must(t, exitDone)
	for line := range strings.Lines(r.out) {
		if !strings.Contains(again.out, line) {
			t.Errorf("the tables of the rows lack %s:\n%s", line, again.out)
		}
	}
	text := read(t, "v.md")
	if !strings.HasPrefix(text, "# Mine\n") || !strings.HasSuffix(text, "the rest\n") || strings.Contains(text, "zzz") || strings.Contains(text, madeUp) {
		t.Errorf("%s", text)
	}
	match(t, "the Markdown", text, `(?s)10 rows; time model simulated; caches are simulated.*\| made-up \| Imaginary 100 \| 1000 \| 3 \|`)
}

// TestValidateSiliconChoice: sets, GPUs and models are chosen, by the same names as
// elsewhere.
func TestValidateSiliconChoice(t *testing.T) {
	t.Chdir(t.TempDir())
	r := hyptx("validate", "silicon", madeUp, "--set", "made-up", "--gpu", "t4", "--time-model", "thesis", "--csv", "-", "--quiet").must(t, exitDone)
	if rows := readCSV(t, r.out); len(rows) != 1 || rows[0]["time_model"] != "thesis" || rows[0]["board"] != "t4" {
		t.Errorf("%s", r.out)
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{madeUp + " --set none", exitInput, "no set none: the sets are made-up, lacking"},
		{madeUp + " --gpu nothing-like-it", exitUsage, "no GPU is known by the name"},
		{madeUp + " --gpu a100", exitInput, "no row is of one of these GPUs"},
		{madeUp + " --traffic footprint --sample 0.1", exitUsage, "--sample: .* needs --traffic model"},
		{madeUp + " --md out.csv", exitUsage, "it is Markdown"},
		{madeUp + " --csv " + madeUp + "/measured/rows.csv", exitUsage, "it is an input"},
		{".", exitInput, "there is no table measured"},
		{". --rows rows.csv", exitUsage, "name a folder of measurements, or files of rows"},
		{"--rows " + madeUp + "/measured/rows.csv", exitInput, "there is no column"},
	} {
		match(t, c.args, hyptx(append([]string{"validate", "silicon"}, strings.Fields(c.args)...)...).must(t, c.code).errOut, c.want)
	}
	if left, _ := os.ReadDir("."); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}
