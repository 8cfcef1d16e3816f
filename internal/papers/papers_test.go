package papers

import (
	"os"
	"path/filepath"
	"testing"
)

// TestAbsent: what cannot be repeated has a reason, and what is claimed is enough to read.
func TestAbsent(t *testing.T) {
	if all, err := claims(); err != nil || len(all) < 80 {
		t.Fatal(len(all), err)
	}
	list, err := Absent()
	if err != nil || len(list) < 15 {
		t.Fatal(len(list), err)
	}
	for _, a := range list {
		if len(a.Why) < 10 {
			t.Errorf("%+v", a)
		}
	}
}

// TestCompare: a number of a paper's beside one row, a column beside another, means over rows;
// what is empty or not there is left out, and what cannot be is an error.
func TestCompare(t *testing.T) {
	text := []byte("gpu,kind,ours,theirs\na,x,2,4\nb,x,6,5\nb,y,-3,\nc,x,,1\n")
	one := func(theirs, where, ours, of string) ([]*Row, error) {
		return (&claim{Theirs: theirs, Where: where, Ours: ours, Times: 1, Of: of, File: "f.csv"}).rows(text)
	}
	rows, err := one("=theirs", "kind=x", "ours", "gpu+kind")
	if err != nil || len(rows) != 2 || rows[0].Of != "a, x" || rows[0].OffPct.X != -50 || rows[1].OffPct.X != 20 {
		t.Fatal(rows, err)
	}
	if s := Summarise(rows); len(s) != 1 || s[0].N != 2 || s[0].OffPct.X != 35 || s[0].WorstPct.X != 50 || s[0].Worst != "a, x" || s[0].Ours.X != 4 || s[0].Theirs.X != 4.5 {
		t.Errorf("%+v", s[0])
	}
	if rows, err := one("8", "gpu=b&kind=y", "ours", "-"); err != nil || len(rows) != 1 || rows[0].Ours.X != -3 || rows[0].OffPct.X != -137.5 {
		t.Error(rows, err)
	}
	for function, want := range map[string]float64{"mean(ours)": 5. / 3, "mean_abs(ours)": 11. / 3} {
		if rows, err := one("8", "-", function, "-"); err != nil || len(rows) != 1 || rows[0].Ours.X != want {
			t.Error(function, rows, err)
		}
	}
	if rows, err := one("8", "gpu=nobody", "ours", "-"); err != nil || rows != nil {
		t.Error(rows, err)
	}
	for _, bad := range [][4]string{{"8", "-", "ours", "-"}, {"8", "nothing=1", "ours", "-"}, {"8", "-", "kind", "-"}, {"x", "gpu=a", "ours", "-"},
		{"8", "-", "median(ours)", "-"}, {"=nothing", "-", "ours", "-"}, {"=theirs", "-", "ours", "nothing"}} {
		if rows, err := one(bad[0], bad[1], bad[2], bad[3]); err == nil {
			t.Errorf("%v gives %v", bad, rows)
		}
	}
}

// TestNothingWritten: of a part that wrote nothing there is nothing to compare.
func TestNothingWritten(t *testing.T) {
	dir := t.TempDir()
	if rows, err := Compare("hypa", "networks", dir); err != nil || rows != nil {
		t.Error(rows, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "hypa.csv"), []byte("network\nvgg16\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if rows, err := Compare("hypa", "networks", dir); err == nil {
		t.Error("a file without the columns gives", rows)
	}
}
