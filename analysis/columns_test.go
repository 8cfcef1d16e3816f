package analysis

import (
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// TestColumnsDocumented: DESIGN.md defines every column of profile.csv: the
// first cells of its tables name them, with {a, b} for alternatives and * for
// anything.
func TestColumnsDocumented(t *testing.T) {
	text, err := os.ReadFile("../DESIGN.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text9, ok := strings.Cut(string(text), "\n## 9. Columns\n")
	if !ok {
		t.Fatal("DESIGN.md has no section 9, Columns")
	}
	section, _, _ := strings.Cut(text9, "\n## ")
	var names []string
	for _, row := range regexp.MustCompile(`(?m)^\| ([^|]*) \|`).FindAllStringSubmatch(section, -1) {
		cell := strings.ReplaceAll(row[1], "; ", ", ")
		for _, name := range regexp.MustCompile(`(?:[^,{]|\{[^}]*\})+`).FindAllString(cell, -1) {
			names = append(names, expand(strings.TrimSpace(name))...)
		}
	}
	for _, column := range append(Columns(), stampColumns...) {
		found := false
		for _, name := range names {
			ok, err := path.Match(name, column)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			found = found || ok
		}
		if !found {
			t.Errorf("DESIGN.md, Columns, does not define %s", column)
		}
	}
}

// expand writes the alternatives of a name out.
func expand(name string) []string {
	before, rest, ok := strings.Cut(name, "{")
	if !ok {
		return []string{name}
	}
	list, after, _ := strings.Cut(rest, "}")
	var out []string
	for _, alternative := range strings.Split(list, ",") {
		out = append(out, expand(before+strings.TrimSpace(alternative)+after)...)
	}
	return out
}
