package parser

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/participle/v2/lexer"
)

// hostile parses text that is long or odd by design. Parse must give at least
// one and at most most errors, quickly and in a few times the text's size.
func hostile(t *testing.T, name string, src []byte, most int, want string) {
	t.Run(name, func(t *testing.T) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		_, err := Parse("h.ptx", src)
		took := time.Since(start)
		runtime.ReadMemStats(&after)
		var list ErrorList
		if !errors.As(err, &list) || len(list) > most {
			t.Fatalf("%d errors, want 1 to %d: %.500v", len(list), most, err)
		}
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%.300v does not say %q", err, want)
		}
		if len(err.Error()) > 400*most {
			t.Errorf("the message has %d bytes", len(err.Error()))
		}
		// Far above what is needed, far below what a quadratic step would take.
		if limit := 10*time.Second + time.Duration(len(src))*time.Microsecond; took > limit {
			t.Errorf("took %v for %d bytes", took, len(src))
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20+400*uint64(len(src)) {
			t.Errorf("allocated %d bytes for %d bytes", used, len(src))
		}
	})
}

func TestHostileTexts(t *testing.T) {
	rep := func(s string, n int) []byte { return bytes.Repeat([]byte(s), n) }
	head := []byte(".version 8.0\n.target sm_80\n")
	module := func(parts ...[]byte) []byte { return append(head[:len(head):len(head)], bytes.Join(parts, nil)...) }
	inBody := func(parts ...[]byte) []byte { return module([]byte(".entry k() {\n"), bytes.Join(parts, nil)) }
	const big = 50 << 20

	hostile(t, "50 MB without a semicolon", inBody(rep("mov a b ", big/8)), 1, "expected ; before the end of the file")
	hostile(t, "50 MB of one word", rep("a", big), 1, "expected .version")
	hostile(t, "50 MB of one opcode", inBody(rep("a", big)), 1, "expected ;")
	hostile(t, "50 MB of blanks", rep(" ", big), 1, "holds no PTX")
	hostile(t, "50 MB of NULs", rep("\x00", big), 1, "holds no PTX")
	hostile(t, "one comment", module([]byte("/*"), rep(" * /\n", big/5)), 1, "does not end")
	hostile(t, "one string", module([]byte(`.pragma "`), rep("a", big)), 1, "does not end on its line")
	hostile(t, "100,000 nested scopes", inBody(rep("{", 100000)), 1, "hyptx takes 100 levels")
	hostile(t, "nested scopes that close", inBody(rep("{", 100000), rep("}", 100001)), 1, "hyptx takes 100 levels")
	hostile(t, "nested lists", module([]byte(".global .b8 a[] = "), rep("{", 100000), rep("}", 100000), []byte(";")), 1, "hyptx takes 100 levels")
	hostile(t, "nested parentheses", inBody([]byte("mov a, "), rep("(", 100000), []byte(";}")), 1, "hyptx takes 100 levels")
	hostile(t, "nested sizes", module([]byte(".global .b8 a["), rep("(", 100000), []byte("];")), 1, "hyptx takes 100 levels")
	hostile(t, "signs", inBody([]byte("mov a, "), rep("-", 1000000), []byte("1;}")), 1, "hyptx takes 100 levels")
	hostile(t, "casts", inBody([]byte("mov a, "), rep("(.s64)", 1000000), []byte("1;}")), 1, "hyptx takes 100 levels")
	hostile(t, "conditions", inBody([]byte("mov a, "), rep("1?", 1000000), []byte("1;}")), 1, "hyptx takes 100 levels")
	hostile(t, "conditions to the right", inBody([]byte("mov a, "), rep("1?1:", 1000000), []byte("1;}")), 1, "hyptx takes 100 levels")
	hostile(t, "generic", module([]byte(".global .b64 a = "), rep("generic(", 1000000), []byte(";")), 1, "hyptx takes 100 levels")
	hostile(t, "sums", inBody([]byte("mov a, 1"), rep("+1", 10000000), []byte(";}")), 1, "hyptx takes 1000")
	hostile(t, "sums in a size", module([]byte(".global .b8 a[1"), rep("+1", 400000), []byte("];")), 1, "hyptx takes 1000")
	hostile(t, "commas", module(rep(",", 10000000)), 2, "hyptx takes 1048576")
	hostile(t, "directives", module(rep(".x ", 5000000)), 2, "hyptx takes 1048576")
	hostile(t, "dims", module([]byte(".global .b8 a"), rep("[", 5000000)), 2, "")
	hostile(t, "closing braces", module(rep("}", 5000000)), maxErrors+1, "more errors than 50")
	hostile(t, "wrong items", module(rep(".global x;\n", 1000000)), maxErrors+1, "more errors than 50")
	hostile(t, "wrong statements", inBody(rep("a b c;\n", 1000000), []byte("}")), maxErrors+1, "")
	hostile(t, "truncated names", module(rep(".entry k(", 1000000)), maxErrors+1, "")
	hostile(t, "sections", module(rep(".section .a {", 1000000)), 2, "does not end")
	hostile(t, "open labels", inBody(rep("a /**/ \n", 5000000)), 1, "expected ;")
	hostile(t, "marks", inBody(rep("#", big)), 1, "")
	hostile(t, "blank marks", inBody([]byte("a"), rep(" #", big/2)), 1, "")
	hostile(t, "guards", inBody(rep("@", big)), 1, "")
	hostile(t, "lone dots", inBody(rep(". ", 200000)), maxErrors+1, "")
	hostile(t, "strange bytes", inBody([]byte("."), rep("\x95", 200000), []byte(" ret;}\n")), maxErrors+1, "")
	hostile(t, "long directives", inBody(rep("."+strings.Repeat("a", 100000)+" ", 40)), maxErrors+1, "")
	hostile(t, "quotes", inBody(rep("\"\n", big/2)), 1, "")
	hostile(t, "open vectors", inBody([]byte("a "), rep("{ ", big/2)), 1, "expected ;")
	hostile(t, "too long", make([]byte, MaxSourceBytes+1), 1, "hyptx takes 268435456")
}

func TestBinaryGarbage(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range 200 {
		src := make([]byte, rnd.IntN(1<<16))
		for j := range src {
			src[j] = byte(rnd.Uint32())
		}
		_, err := Parse("g.ptx", src)
		var list ErrorList
		if !errors.As(err, &list) || len(list) > 2 {
			t.Fatalf("garbage %d: %d errors: %.300v", i, len(list), err)
		}
	}
}

// A file cut off anywhere parses or gives a few errors, and never panics.
func TestTruncatedFiles(t *testing.T) {
	src := synthetic(1, true)[:4000]
	src = append(src, "\n{ .reg .b32 x; call.uni (r), f, (a); }\nts: .branchtargets a, b;\nret; }\n.global .b8 t[2] = {1, 2};\n.section .s { .b8 1 }\n"...)
	for n := range src {
		_, err := Parse("t.ptx", src[:n])
		if err == nil {
			continue
		}
		list := err.(ErrorList)
		if len(list) > 3 {
			t.Fatalf("cut at %d: %v\n...%s", n, err, src[max(0, n-60):n])
		}
	}
}

func TestTooManyStatements(t *testing.T) {
	l := newModuleLexer(".entry k() { a: b: c: d: }")
	for l.depth == 0 {
		l.Next()
	}
	l.all = maxBodyTokens - 2
	var last lexer.Token
	for i := 0; i < 10 && !last.EOF(); i++ {
		token, _ := l.Next()
		if token.EOF() {
			break
		}
		if token.Type != tokUnclosed {
			last = token
		}
	}
	if want := fmt.Sprintf("this function has too many statements, hyptx takes %d; what stands behind is not read", maxBodyTokens); last.Type != tokBad || last.Value != want {
		t.Errorf("%v, want %q", last, want)
	}
}

func TestTooManyNodes(t *testing.T) {
	p := &parser{module: &Module{}, builder: builder{nodes: &slab{nodes: maxNodes - 4}}, items: fast}
	p.parse(".version 8.0\n.entry k() { add.s32 a, b, c; }\n.entry j() { bad bad bad; }\n")
	if want := "the module is too large, hyptx takes 67108864 syntax nodes"; len(p.errs) != 1 || p.errs[0].Msg != want {
		t.Errorf("%v, want %q", p.errs, want)
	}
}

// TestManyDirectives: behind a directive that the grammar reads many others are read as quickly
// as elsewhere.
func TestManyDirectives(t *testing.T) {
	for _, c := range []struct{ first, many string }{
		{".local .b8 y[(2+3)*4];", ".reg .u32 q%d_<3>;"}, // it took 75 s
		{"", ".loc 1 %d 3, function_name $x, inlined_at 1 1 3"},
		{"", ".loc 1 %d 3, inlined_at 1 1 3, inlined_at 1 2 3"},
		{"", ".loc 1 1 1 .loc_intermediate 1 %d 3"},
		{"", ".section .x { .b8 %d }"},
		{"", "@@DWARF .b8 %d"},
		{"", ".loc 1 %d"},
	} {
		var b bytes.Buffer
		fmt.Fprintf(&b, ".version 8.0 .target sm_80 .entry k() { %s\n", c.first)
		for i := range 40000 {
			fmt.Fprintf(&b, c.many+"\n", i)
		}
		b.WriteString("ret; }")
		start := time.Now()
		if _, err := Parse("h.ptx", b.Bytes()); err != nil && c.many != ".loc 1 %d" {
			t.Fatal(err)
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s took %v", c.many, took)
		}
	}
}
