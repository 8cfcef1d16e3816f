package source

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestModules: where the modules of a text begin, and on which lines.
func TestModules(t *testing.T) {
	const k = ".target sm_70\n.entry k { ret; }\n"
	for _, c := range []struct {
		name, text string
		lines      []int // before each module
	}{
		{"one", ".version 7.0\n" + k, []int{0}},
		{"one behind a comment", "/* .version 6.0 */ .version 7.0 " + k, []int{0}},
		{"one with comments", ".version 7.0\n/* of\n.version 6.0\n*/ // a \"/*\n.file 1 \"/*\"\n" + k + "/* end */\n", []int{0}},
		{"two, the second behind a comment", ".version 7.0\n/* of\n.version 6.0\n*/" + k + "// /*\n.version 7.1\n" + k, []int{0, 6}},
		{"two", ".version 7.0\n" + k + ".version 7.1\n" + k, []int{0, 3}},
		{"two, indented as open64 does", "\t.version 1.4\n.target sm_10\n.entry k { exit; }\n\n\t.version 7.1\n" + k, []int{0, 4}},
		{"comments and a byte order mark", "\ufeff// made by\n\n.version 7.0\n" + k + "// more\r\n\t .version\t7.1\n" + k, []int{0, 6}},
		{"a dump", "\nFatbin elf code:\n====\narch = sm_70\n\nFatbin ptx code:\n====\narch = sm_70\n\n\t.version 7.0\n" + k +
			"\nFatbin ptx code:\n====\n\n.version 7.0\n" + k + "\nFatbin elf code:\n====\n", []int{9, 16}},
		{"other words", ".version 7.0\n" + k + ".versions\nx .version 7.0\n.section .x { .version }\n", []int{0}},
	} {
		var lines []int
		for _, m := range (File{Name: "k.ptx", Text: []byte(c.text)}).modules() {
			lines = append(lines, m.before)
		}
		if fmt.Sprint(lines) != fmt.Sprint(c.lines) {
			t.Errorf("%s: lines before modules are %v, want %v", c.name, lines, c.lines)
		}
	}
	text := ".version 7.0\n" + k + "\t.version 7.1\n.target sm_70\n.entry k { oops; }\n"
	mods, err := File{Name: "k.ptx", Text: []byte(text)}.Modules()
	if err == nil || !strings.HasPrefix(err.Error(), "k.ptx:6:12: ") || len(mods) != 2 || mods[1].Funcs[0].Pos.Line != 6 {
		t.Errorf("%d modules, %v", len(mods), err)
	}
}

// TestManyLines: of what looks like modules or lines for a preprocessor, in comments or not, a
// megabyte is gone over once.
func TestManyLines(t *testing.T) {
	const first, last = ".version 7.0\n.target sm_70\n", ".entry k() { ret; }\n"
	for _, text := range []string{
		first + "/*\n" + strings.Repeat(".version 7.0\n", 100000) + "*/\n" + last,
		first + "/*\n" + strings.Repeat("#if\n", 250000) + "*/\n" + last,
		first + last + "//" + strings.Repeat("#", 1<<20),
		first + strings.Repeat("\"/*\"", 1<<18) + "\n" + strings.Repeat(" ", 1<<20) + last,
	} {
		start := time.Now()
		f := File{Name: "k.ptx", Text: []byte(text)}
		if n := len(f.modules()); n != 1 || f.preprocessed() != nil {
			t.Errorf("%d modules in %.60q", n, text)
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%.60q takes %v", text, took)
		}
	}
}

// TestManyModules: what a text of many modules takes goes with its length.
func TestManyModules(t *testing.T) {
	text := []byte(strings.Repeat("\t.version 7.0\n", 100000) + strings.Repeat(".version", 100000))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	n := len(File{Text: text}.modules())
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; n != 100000 || took > 64<<20 {
		t.Errorf("%d modules took %d bytes", n, took)
	}
}
