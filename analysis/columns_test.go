package analysis

import (
	"os"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestColumnsDocumented: DESIGN.md defines every column of every file: the
// first cells of its tables name them, with {a, b} for alternatives and * for
// anything.
func TestColumnsDocumented(t *testing.T) {
	text, err := os.ReadFile("../DESIGN.md")
	if err != nil {
		t.Fatal(err)
	}
	checkDocumented(t, string(text), "9. Columns", append(Columns(), stampColumns...))
	for _, row := range []reflect.Type{reflect.TypeFor[KernelRow](), reflect.TypeFor[CTARow](), reflect.TypeFor[InstrRow](), reflect.TypeFor[LoopRow]()} {
		columns := slices.DeleteFunc(columnsOf(row), func(c string) bool {
			return c == "" || c == "network" || c == "kernel" || c == "launch" // said once for all
		})
		checkDocumented(t, string(text), "10. Other files", columns)
	}
}

// checkDocumented fails for columns that no table of a section names.
func checkDocumented(t *testing.T, text, title string, columns []string) {
	t.Helper()
	_, rest, ok := strings.Cut(text, "\n## "+title+"\n")
	if !ok {
		t.Fatalf("DESIGN.md has no section %s", title)
	}
	section, _, _ := strings.Cut(rest, "\n## ")
	var names []string
	for _, row := range regexp.MustCompile(`(?m)^\| ([^|]*) \|`).FindAllStringSubmatch(section, -1) {
		for _, name := range regexp.MustCompile(`(?:[^,{]|\{[^}]*\})+`).FindAllString(row[1], -1) {
			names = append(names, expand(strings.TrimSpace(name))...)
		}
	}
	for _, column := range columns {
		if !slices.ContainsFunc(names, func(name string) bool { ok, err := path.Match(name, column); return ok && err == nil }) {
			t.Errorf("DESIGN.md, %s, does not define %s", title, column)
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
