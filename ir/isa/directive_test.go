package isa

import (
	"os"
	"strings"
	"testing"
)

// TestDeclarations: words are there from the version and target on that the table of the manual's
// directives has.
func TestDeclarations(t *testing.T) {
	if err := CheckDeclaration("reqnctapercluster", 700, Target{SM: 80}); err == nil ||
		err.Error() != ".reqnctapercluster needs PTX 7.8 and target sm_90, the module has 7.0 and sm_80 (PTX ISA 11.7.1)" {
		t.Error(err)
	}
	for word, d := range declarations {
		r := (&rowParser{row: &row{syntax: word}}).need(d.since)
		if CheckDeclaration(word, r.PTX-1, Target{SM: 121}) == nil {
			t.Errorf(".%s passes before %s", word, version(r.PTX))
		}
		for _, sm := range r.Targets {
			if CheckDeclaration(word, 904, Target{SM: sm.SM - 1}) == nil {
				t.Errorf(".%s passes before %s", word, sm)
			}
		}
		if err := CheckDeclaration(word, 904, Target{SM: 121}); err != nil {
			t.Error(err)
		}
	}
	if err := CheckDeclaration("entry", 100, Target{SM: 10}); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile("../../../shared/isa/ptx-isa-directives.tsv")
	if os.IsNotExist(err) {
		t.Skip("there is no table of directives")
	}
	held := 0
	for line := range strings.SplitSeq(string(text), "\n") {
		column := strings.Split(line, "\t")
		if len(column) < 6 || column[0] == "pragma string" || !strings.HasPrefix(column[1], ".") || strings.Contains(column[1], " ") {
			continue
		}
		d, known := declarations[column[1][1:]]
		if !known {
			continue
		}
		held++
		want, _, _ := strings.Cut(column[4], " ")
		if sm, ok := strings.CutPrefix(column[5], "sm_"); ok {
			want += "/" + sm
		}
		if d.since != want {
			t.Errorf("%s is since %s, the table has %s", column[1], d.since, want)
		}
	}
	if held < 25 {
		t.Errorf("%d words were held against the table", held)
	}
}
