package check

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// What is found twice is one finding with a count; reports go by kernel, kind and place.
func TestList(t *testing.T) {
	at := func(pc uint32) Access { return Access{PC: pc, File: "k.ptx", Line: int(pc)} }
	other := at(9)
	var l List
	l.Add(Finding{Kind: Race, Kernel: "b", At: at(7), Other: &other, Count: 1})
	l.Add(Finding{Kind: Misaligned, Kernel: "a", At: at(3), Count: 2})
	l.Add(Finding{Kind: OutOfBounds, Kernel: "b", At: at(8), Count: 1})
	l.Add(Finding{Kind: Race, Kernel: "b", Launch: 4, At: at(7), Other: &other, Count: 5})
	l.Add(Finding{Kind: Race, Kernel: "b", At: at(7), Count: 1})
	type row struct {
		kernel string
		kind   Kind
		count  uint64
	}
	var got []row
	for _, f := range l.Findings() {
		got = append(got, row{f.Kernel, f.Kind, f.Count})
	}
	want := []row{{"b", OutOfBounds, 1}, {"b", Race, 1}, {"b", Race, 6}, {"a", Misaligned, 2}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A line of a file of suppressions leaves out what it describes and nothing else; one that
// says nothing of any finding is told.
func TestSuppressions(t *testing.T) {
	s, err := ParseSuppressions("x.txt", "# ours\ndata-race kernel=hist* at=k.cu:42 # meant\n\n* object=x\nleak\n")
	if err != nil {
		t.Fatal(err)
	}
	in := func(line int) Access { return Access{Source: Source{File: "/src/k.cu", Line: line}} }
	other := in(42)
	kept, dropped := s.Drop([]*Finding{
		{Kind: Race, Kernel: "histogram", At: in(40), Other: &other},
		{Kind: Race, Kernel: "histogram", At: in(40)},
		{Kind: Race, Kernel: "other", At: in(42)},
		{Kind: UnwrittenMemory, Object: "x"},
	}, func(kernel string) []string { return []string{kernel} })
	if dropped != 2 || len(kept) != 2 || kept[1].Kernel != "other" {
		t.Errorf("kept %v, dropped %d", kept, dropped)
	}
	if got := s.Unused(); !slices.Equal(got, []int{5}) {
		t.Errorf("unused lines %v", got)
	}
	for _, bad := range []string{"data-rice", "leak kernel", "leak colour=red", "leak at=[z", `leak kernel="a b`, `leak kernel="a" "b c"`} {
		if _, err := ParseSuppressions("x.txt", bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// A line may name a kernel as the source does, and a place by its file alone or as the PTX
// has it.
func TestSuppressionNames(t *testing.T) {
	names := func(string) []string { return []string{"_Z4histPi", "hist(int*)", "hist"} }
	at := Access{File: "d/hist.ptx", Line: 66, Source: Source{File: "src/hist.cu", Line: 4}}
	for line, want := range map[string]int{
		"data-race kernel=hist* at=hist.cu:4": 1, "* kernel=hist": 1, "* kernel=_Z4*": 1, "* kernel=hist(int*)": 1, "* kernel=his": 0,
		"* at=hist.cu": 1, "* at=src/hist.cu": 1, "* at=hist.ptx:66": 1, "* at=d/hist.ptx": 1, "* at=hist.cu:5": 0, "* at=hist": 0,
		`* kernel="hist(int *)"`: 1, `"data-race" kernel="void hist( int*)"`: 0, `* at="hist.cu"# known`: 1, `* kernel=hist(int\*)`: 1, `* kernel=hist\ (int*)`: 1,
	} {
		s, err := ParseSuppressions("x.txt", line)
		if err != nil {
			t.Fatal(err)
		}
		if _, dropped := s.Drop([]*Finding{{Kind: Race, Kernel: "_Z4histPi", At: at}}, names); dropped != want {
			t.Errorf("%s leaves out %d, want %d", line, dropped, want)
		}
	}
}

// What stands in quotes may have spaces, signs of comments and quotes.
func TestSuppressionQuotes(t *testing.T) {
	for line, want := range map[string][]string{
		`leak  a=b # c`: {"leak", "a=b"}, `leak a="b # c" d`: {"leak", "a=b # c", "d"}, `a="b\"c"`: {`a=b\"c`}, "\t": nil, `a=""`: {"a="}, `""`: {""}, `a\`: {`a\`},
	} {
		if got, err := splitWords(line); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", line, got, err)
		}
	}
}

// Findings of one run have fingerprints of their own, which stay while lines move: two of the same
// instructions are told apart by the order in which they stand.
func TestFingerprints(t *testing.T) {
	at := func(line int, text string) Access { return Access{File: "k.ptx", Line: line, Text: text} }
	other := at(9, "st.shared.u32 [%a], %x")
	list := func(down int) []*Finding {
		return []*Finding{
			{Kind: Race, Kernel: "k", Program: "m.json", At: at(4+down, "ld.shared.u32 %x, [%a]"), Other: &other},
			{Kind: Race, Kernel: "k", Program: "m.json", At: at(7+down, "ld.shared.u32 %x, [%a]"), Other: &other},
			{Kind: Race, Kernel: "k", Program: "m.json", At: at(4+down, "ld.shared.u32 %x, [%a]")},
			{Kind: Race, Kernel: "k", Program: "n.json", At: at(4+down, "ld.shared.u32 %x, [%a]")},
			{Kind: Leak, Kernel: "k", Program: "n.json", At: at(4+down, "ld.shared.u32 %x, [%a]")},
		}
	}
	prints := (&Report{Findings: list(0)}).fingerprints()
	if many := slices.Compact(slices.Sorted(slices.Values(prints))); len(many) != len(prints) {
		t.Errorf("%d of %d fingerprints differ: %q", len(many), len(prints), prints)
	}
	if moved := (&Report{Findings: list(20)}).fingerprints(); !slices.Equal(prints, moved) {
		t.Errorf("lines have moved, and %q became %q", prints, moved)
	}
}

// Groups are named one by one or all.
func TestGroups(t *testing.T) {
	if g, err := ParseGroups("race, sync"); err != nil || !g.Has(Races) || g.Has(Memory) {
		t.Error(g, err)
	}
	if g, err := ParseGroups("all"); err != nil || len(g) != 4 {
		t.Error(g, err)
	}
	if _, err := ParseGroups("races"); err == nil {
		t.Error("races is taken")
	}
	for _, k := range Kinds() {
		if k.Group() == "" || k.Title() == string(k) {
			t.Errorf("%s has no group", k)
		}
	}
}

// A file has one name in SARIF, wherever it lies and however it was named.
func TestURI(t *testing.T) {
	dir := t.TempDir()
	here := filepath.Join(dir, "here")
	if err := os.Mkdir(here, 0o777); err != nil {
		t.Fatal(err)
	}
	t.Chdir(here)
	outside := "file://" + filepath.ToSlash(filepath.Join(dir, "k.ptx"))
	for name, want := range map[string]string{
		"k.ptx": "k.ptx", "./k.ptx": "k.ptx", "d/../k.ptx": "k.ptx", filepath.Join(here, "d/k.ptx"): "d/k.ptx",
		"../k.ptx": outside, filepath.Join(dir, "k.ptx"): outside, "../here/k.ptx": "k.ptx", "": "",
	} {
		if got := uriOf(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

// Test cases have names of their own, for CI services know them by class and name.
func TestCaseNames(t *testing.T) {
	at := func(line, ptx int) Access {
		return Access{Source: Source{File: "k.cu", Line: line}, File: "k.ptx", Line: ptx, Col: 2}
	}
	other := at(4, 20)
	r := Report{Findings: []*Finding{
		{Kind: Race, Kernel: "k", Program: "m.json", At: at(4, 10), Other: &other},
		{Kind: Race, Kernel: "k", Program: "m.json", At: at(4, 10)},
		{Kind: Race, Kernel: "k", Program: "n.json", At: at(4, 10)},
		{Kind: Leak, Kernel: "k", Program: "m.json", At: at(4, 10)},
	}}
	want := []string{"data-race at k.cu:4 (k.ptx:10:2 and k.ptx:20:2)", "data-race at k.cu:4 (k.ptx:10:2)", "data-race at k.cu:4", "leak at k.cu:4"}
	if got := r.caseNames(); !slices.Equal(got, want) {
		t.Errorf("names %q", got)
	}
}
