package ir

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"hyptx/ir/isa"
	"hyptx/parser"
)

// TestSince: words are there from the version and target on that the table of the manual's
// directives has.
func TestSince(t *testing.T) {
	said := func(word string, ptx, sm int) string {
		l := &lowerer{m: &Module{PTXVersion: ptx, Target: isa.Target{SM: sm}}, most: maxErrors}
		l.since(parser.Pos{}, word)
		return l.errs.Error()
	}
	const want = ".reqnctapercluster needs PTX 7.8 and target sm_90, the module has 7.0 and sm_80 (PTX ISA 11.7.1)"
	if got := said("reqnctapercluster", 700, 80); !strings.Contains(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
	for word, d := range declarations {
		if said(word, d.ptx-1, 121) == "" || d.sm > 0 && said(word, 904, d.sm-1) == "" || said(word, d.ptx, max(d.sm, 10)) != "" {
			t.Errorf(".%s passes before, or does not from PTX %d and sm_%d on", word, d.ptx, d.sm)
		}
	}
	if got := said("entry", 100, 10); got != "" {
		t.Error(got)
	}
	text, err := os.ReadFile("../../shared/isa/ptx-isa-directives.tsv")
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
		var major, minor, sm int
		fmt.Sscanf(column[4], "%d.%d", &major, &minor)
		fmt.Sscanf(column[5], "sm_%d", &sm)
		if d.ptx != major*100+minor || d.sm != sm {
			t.Errorf("%s is since %d, sm_%d; the table has %s, %s", column[1], d.ptx, d.sm, column[4], column[5])
		}
	}
	if held < 25 {
		t.Errorf("%d words were held against the table", held)
	}
}
