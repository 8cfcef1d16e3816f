package parser

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/participle/v2/lexer"
)

// heavy names the environment variable with which the tests of the grammar alone
// try everything that they can (make heavy), which takes minutes; otherwise
// they try a part of it, spread over all of it.
const heavy = "HYPTX_HEAVY"

// disagreement compares what Parse and the grammar alone make of a text: equal
// trees, places included, or the same errors. It gives "" when they agree.
func disagreement(src []byte) string {
	fast, err := Parse("x.ptx", src)
	slow, err2 := ParseReference("x.ptx", src)
	if e, e2 := fmt.Sprint(err), fmt.Sprint(err2); e != e2 {
		return "Parse says\n" + e + "\nand the grammar\n" + e2
	}
	if d := disagreesLater(fast, err, "x.ptx", src); d != "" {
		return d
	}
	for _, m := range []*Module{fast, slow} {
		for _, item := range m.Items {
			if f, ok := item.(*Function); ok && f.Errors != nil {
				f.Body = nil // which statements of a wrong one are left is nobody's matter
			}
		}
	}
	if (err == nil || !fast.Unusable || !slow.Unusable) && !reflect.DeepEqual(fast, slow) {
		d := difference(fast, slow)
		if d == "" {
			d = "in a place"
		}
		return "the trees differ: " + d
	}
	return ""
}

// disagreesLater compares what Parse has made of a text with what Open makes of it,
// whose bodies are read part after part, each gone when the next is read.
func disagreesLater(whole *Module, err error, file string, src []byte) string {
	for _, part := range []int{3, partStatements} {
		if d := disagreesInParts(part, whole, err, file, src); d != "" {
			return fmt.Sprintf("in parts of %d: %s", part, d)
		}
	}
	return ""
}

func disagreesInParts(part int, whole *Module, err error, file string, src []byte) string {
	m, err2 := Open(file, src, 1)
	if e, e2 := fmt.Sprint(err), fmt.Sprint(err2); whole.Unusable || err2 != nil {
		if e != e2 {
			return "Parse says\n" + e + "\nand Open\n" + e2
		}
		return ""
	}
	items := m.Items
	if len(items) != len(whole.Items) || m.Version != whole.Version || !slices.Equal(m.Targets, whole.Targets) || m.AddressSize != whole.AddressSize {
		return "Open differs from Parse in the header"
	}
	for i, item := range whole.Items {
		if f, ok := items[i].(*Function); ok {
			if d := readAll(f, item.(*Function), part); d != "" {
				return d
			}
		}
		if !reflect.DeepEqual(item, items[i]) {
			return "Open differs from Parse: " + differ("item", reflect.ValueOf(item), reflect.ValueOf(items[i]))
		}
	}
	return ""
}

// readAll reads a body and holds each part against that of the whole, which then takes
// its place. What is of use behind its part is looked at in the end.
func readAll(f, whole *Function, part int) string {
	var errs ErrorList
	var lists, wanted []Stmt
	n, body := 0, whole.Body
	if f.unread != nil && f.unread.part == partStatements {
		f.unread.part = part
	}
	for more := f.unread != nil; more; {
		more = f.Read()
		errs = append(errs, f.Errors...)
		m := n + len(f.Body.Stmts)
		if m > len(body.Stmts) || !reflect.DeepEqual(f.Body.Stmts, body.Stmts[n:m:m]) && m > n {
			return fmt.Sprintf("Open differs from Parse in statements %d to %d of %s", n, m, f.Name)
		}
		for i, s := range f.Body.Stmts {
			switch s.(type) {
			case *BranchTargets, *CallTargets, *CallPrototype:
				lists, wanted = append(lists, s), append(wanted, body.Stmts[n+i])
			}
		}
		n = m
	}
	if !reflect.DeepEqual(lists, wanted) {
		return "lists of " + f.Name + " have not outlived their part"
	}
	if body != nil && n == len(body.Stmts) {
		f.Body.Stmts = body.Stmts
	}
	f.Errors, f.Instructions = errs, 0
	return ""
}

// ptxFiles lists the .ptx files under roots, those that are present, up to a size.
func ptxFiles(tb testing.TB, most int64, roots ...string) []string {
	tb.Helper()
	var files []string
	for _, root := range roots {
		filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".ptx") {
				return nil
			}
			if info, err := d.Info(); err == nil && info.Size() <= most {
				files = append(files, path)
			}
			return nil
		})
	}
	return files
}

// Every file: in the short test those of the project and the shorter others.
func TestReferenceFiles(t *testing.T) {
	most := int64(1) << 40
	if testing.Short() {
		most = 16 << 10
	}
	files := append(ptxFiles(t, 1<<40, "../ptx-samples", "../testdata", "../examples"), ptxFiles(t, most, "../../shared")...)
	if len(files) < 500 {
		t.Errorf("only %d files", len(files))
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if d := disagreement(src); d != "" {
			t.Errorf("%s: %s", file, d)
		}
	}
}

// seedModules are texts that hold every production.
func seedModules() [][]byte {
	var out [][]byte
	for _, seed := range seeds {
		out = append(out, []byte(".version 8.0\n"+seed), body(seed))
	}
	return append(out, synthetic(1, true)[:2500], callModule(2))
}

func TestReferenceSeeds(t *testing.T) {
	for _, src := range seedModules() {
		if d := disagreement(src); d != "" {
			t.Errorf("%s\n%s", d, src)
		}
	}
}

// TestReferenceMutations changes a text in one place, in all the ways that a
// slip of the pen might, at every word of the seeds and at some of the samples;
// unless it is heavy, at every twelfth of these.
func TestReferenceMutations(t *testing.T) {
	texts := seedModules()
	every := 12
	if os.Getenv(heavy) != "" {
		every = 1
	}
	for _, file := range ptxFiles(t, 2000, "../ptx-samples") {
		if src, err := os.ReadFile(file); err == nil {
			texts = append(texts, src)
		}
	}
	n, wrong := 0, 0
	for i, src := range texts {
		step := every
		if i >= 2*len(seeds) {
			step = 40 * every
		}
		for _, mutant := range mutations(src, step, i) {
			n++
			if _, err := Parse("x.ptx", mutant); err != nil {
				wrong++
			}
			if d := disagreement(mutant); d != "" {
				t.Fatalf("%s\n%s", d, mutant)
			}
		}
	}
	t.Logf("%d texts, %d of them wrong", n, wrong)
	if n < 3000 || wrong < n/2 {
		t.Errorf("%d texts with %d wrong ones are too few", n, wrong)
	}
}

// wordsOf splits a text into words, marks and blanks.
func wordsOf(src []byte) [][]byte {
	var out [][]byte
	for len(src) > 0 {
		n := 1
		if is(src[0], isFollow) || src[0] == '.' || src[0] == '%' {
			for n < len(src) && (is(src[n], isFollow) || src[n] == '.' && is(src[0], isFollow)) {
				n++
			}
		} else if is(src[0], isBlank) {
			for n < len(src) && is(src[n], isBlank) {
				n++
			}
		}
		out, src = append(out, src[:n]), src[n:]
	}
	return out
}

// strangers are words that take the place of others.
var strangers = []string{"{", "}", "(", ")", "[", "]", ";", ",", "|", "!", "-", "~", "@", "@p", "=", "<", ">", "?", ":", "::", "%", "+", "*", "/", "/*", "//",
	"\"", "#", "$", "\x80", "\x00", ".", ".b32", ".s64", "(.s64)", "(.u32)", ".align", ".entry", ".reg", ".loc", ".global", ".section", ".pragma", ".bogus",
	"x", "L:", "generic", "generic(", "WARP_SZ", "_", "call", "call.uni", "mov.u32", "mov.", "a.b", "%3", "0", "08", "1.5", "0f3F80", "0x", "9U", "1e999", "{1,2}", "{a=1}", "a[1]",
	"99999999999999999999", "function_name", "inlined_at", "&&", "||", "<<", ">>", "==", "!=", "-1", "((", "))", ".unified", "0xFF(", "p|q", "\n"}

// mutations gives src with one word deleted, doubled, swapped with the one
// after it, replaced, or with the text ending there, at every step-th word.
func mutations(src []byte, step, seed int) [][]byte {
	words := wordsOf(src)
	var out [][]byte
	with := func(parts ...[][]byte) { out = append(out, bytes.Join(flatten(parts), nil)) }
	for i := seed % step; i < len(words); i += step {
		before, w, after := words[:i], words[i:i+1], words[i+1:]
		stranger := [][]byte{[]byte(strangers[(seed*7+i*13)%len(strangers)])}
		other := [][]byte{[]byte(" " + strangers[(seed*11+i*17+5)%len(strangers)] + " ")}
		with(before, after)
		with(before, w, w, after)
		with(before, stranger, after)
		with(before, other, w, after)
		with(before)
		if len(after) > 0 {
			with(before, after[:1], w, after[1:])
		}
	}
	return out
}

func flatten(parts [][][]byte) (out [][]byte) {
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

// TestReferenceLarge: what the grammar alone allocates grows as the text does,
// and a function of a million statements (heavy) does not exhaust the memory, for
// no more than one statement's matches are kept. A copy of all that came before,
// made for each statement, breaks the bounds with a twentieth of them, too.
func TestReferenceLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("takes ten seconds")
	}
	part := uint64(20)
	if os.Getenv(heavy) != "" {
		part = 1
	}
	for _, c := range []struct {
		name string
		n    uint64
		text string // n times
		in   func(string) []byte
		each uint64 // bytes allocated for each, at most
	}{
		{"statements", 1000000, "ret;\n", body, 24 << 10},
		{"scopes", 100000, "{L:}", body, 16 << 10},
		{"table", 100000, "1,", func(s string) []byte { return []byte(".version 8.0\n.global .b8 t[] = {" + s + "1};") }, 32 << 10},
	} {
		c.n /= part
		src := c.in(strings.Repeat(c.text, int(c.n)))
		t.Run(c.name, func(t *testing.T) {
			want, err := Parse("x.ptx", src)
			if err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got, err := ParseReference("x.ptx", src)
			runtime.ReadMemStats(&after)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%v, %s", err, difference(got, want))
			}
			used := (after.TotalAlloc - before.TotalAlloc) / c.n
			t.Logf("%d bytes each", used)
			if used > c.each {
				t.Errorf("%d bytes each, want at most %d", used, c.each)
			}
		})
	}
}

// TestReferenceLimits: both ways have the same limits, told at the same place.
func TestReferenceLimits(t *testing.T) {
	nested := func(open, inner, closing string, n int) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(closing, n)
	}
	module := func(text string) []byte { return []byte(".version 8.0\n" + text) }
	const tooDeep, tooMany = "nested too deep; hyptx takes 100 levels", "too many operators; hyptx takes 1000"
	for _, c := range []struct {
		src  []byte
		want string // "" when the text is right
	}{
		{body("mov a, " + nested("(", "1", ")", 100) + ";"), ""},
		{body("mov a, " + nested("(", "1", ")", 101) + ";"), tooDeep},
		{body("mov a, " + nested("- ", "1", "", 100) + ";"), ""},
		{body("mov a, " + nested("- ", "1", "", 101) + ";"), tooDeep},
		{body("mov a, " + nested("-(", "1", ")", 50) + ", " + nested("-(", "1", ")", 50) + ";"), ""},
		{body("mov a, " + nested("-(", "1", ")", 51) + ";"), tooDeep},
		{body("mov a, " + nested("(.s64)", "1", "", 100) + ";"), ""},
		{body("mov a, " + nested("(.s64)", "1", "", 101) + ";"), tooDeep},
		{body("mov a, " + nested("1?", "1", ":1", 100) + ";"), ""},
		{body("mov a, " + nested("1?", "1", ":1", 101) + ";"), tooDeep},
		{body("mov a, " + nested("1?1:", "1", "", 101) + ";"), tooDeep},
		{body("mov a, " + nested("generic(", "x", ")", 101) + ";"), tooDeep},
		{body("mov a, 1" + strings.Repeat("+1", 1000) + ";"), ""},
		{body("mov a, 1" + strings.Repeat("+1", 1001) + ";"), tooMany},
		{body("mov 1" + strings.Repeat("+1", 1000) + ", 1" + strings.Repeat("*1", 1000) + ";"), ""},
		{module(".global .b8 a[" + nested("(", "1", ")", 99) + "];"), ""},
		{module(".global .b8 a[" + nested("(", "1", ")", 100) + "];"), tooDeep},
		{module(".global .b8 a[1" + strings.Repeat("-1", 1000) + "];"), ""},
		{module(".global .b8 a[1" + strings.Repeat("-1", 1001) + "];"), tooMany},
		{module(".global .b8 a[] = " + nested("{", "1", "}", 100) + ";"), ""},
		{module(".global .b8 a[] = " + nested("{", "1", "}", 101) + ";"), tooDeep},
		{body(nested("{", "", "}", 99)), ""},
		{body(nested("{", "", "}", 100)), "braces are nested too deep, hyptx takes 100 levels"},
		{body(strings.Repeat("a b c;\n", 60)), "1:39: "},
		{module(strings.Repeat(".global x;\n", 60)), "more errors than 50"},
	} {
		_, err := ParseReference("x.ptx", c.src)
		text := ""
		if err != nil {
			text = err.Error()
		}
		if c.want == "1:39: " { // statements that are wrong: 50 of them are told
			if n := strings.Count(text, "\n") + 1; n != maxErrors {
				t.Errorf("%d errors, want %d", n, maxErrors)
			}
		} else if c.want == "" && err != nil || !strings.Contains(text, c.want) {
			t.Errorf("%.60s... (%d bytes): %.200s, want %q", c.src, len(c.src), text, c.want)
		}
		if d := disagreement(c.src); d != "" {
			t.Errorf("%.60s... (%d bytes): %.500s", c.src, len(c.src), d)
		}
	}
}

// TestTooManyWords: a statement's words are counted where they are split.
func TestTooManyWords(t *testing.T) {
	for n, want := range map[int]lexer.TokenType{maxStatementWords - 2: tokName, maxStatementWords + 2: tokFault} {
		words := open(lexer.Token{Type: tokInstruction, Value: "mov a" + strings.Repeat(",a", n/2)})
		if last := words[len(words)-2]; last.Type != want || words[len(words)-1].Type != tokEnd {
			t.Errorf("%d words: the last is %q", n, last.Value)
		}
	}
	long := lexer.Token{Type: tokInstruction, Value: "mov a" + strings.Repeat(" ", maxStatementWords)}
	c := cursor{nodes: &slab{}}
	if c.ofToken(&long) != nil {
		t.Error("the hand-written reader takes a statement whose words it does not count")
	}
}
