package parser

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The ways to go over a body.
const (
	byLines = iota
	byStatements
	byTokens
)

// bodyEnd goes over a body, which begins behind its {, in a way to behind its } and says how
// many instructions it has. found is false where lines do not do.
func bodyEnd(body string, way int) (at scanner, instructions int, found bool) {
	l := newModuleLexer(body)
	l.depth, l.statement = 1, true
	if way == byLines {
		if instructions = l.passPlain(); instructions == 0 {
			return l.scanner, 0, false
		}
	}
	for !l.boundary {
		if way != byTokens {
			instructions += l.passOver()
		}
		t, _ := l.Next()
		if t.EOF() {
			break
		}
		if t.Type == tokInstruction {
			instructions++
		}
	}
	return l.scanner, instructions, true
}

// A body ends where it ends, and has as many instructions, whether it is gone over by lines, by
// statements or token by token; and most bodies that compilers print are gone over by lines.
func TestPassPlain(t *testing.T) {
	files, err := filepath.Glob("../ptx-samples/*/*.ptx")
	kernels, _ := filepath.Glob("../ptx-samples/*/*/*.ptx")
	if files = append(files, kernels...); err != nil || len(files) < 500 {
		t.Fatalf("%d samples, %v", len(files), err)
	}
	rng := rand.New(rand.NewPCG(1, 6))
	bodies, plain, changed := 0, 0, 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, body := range strings.Split(string(text), "{\n")[1:] {
			bodies++
			if agrees(t, body) {
				plain++
			}
			for range 10 {
				if agrees(t, spoilt(body, rng)) {
					changed++
				}
			}
		}
	}
	t.Logf("%d bodies, %d by lines, and %d of ten times as many that were spoilt", bodies, plain, changed)
	if plain < bodies/2 || changed < bodies {
		t.Error("few bodies are gone over by lines")
	}
	for _, body := range []string{
		"ret;}", "\tret;\n}\n", "a:\nret;\n}", "$a:\n@p ret;\n}", "ret; // a; b::c:\n}", "ld.x::y.u32 a, [b];\nret;\n}",
		"mov.b64 a, {b, c};\nret;\n}", ".reg .b32 %r<4>;\n.loc 1 2 3\nret;\n}",
	} {
		if !agrees(t, body) {
			t.Errorf("not gone over by lines: %q", body)
		}
	}
	for _, body := range []string{
		"a: ret;\n}", "ret; exit;\n}", "ret\n;\n}", "ld.sp::2:4 a, [b];\nret;\n}", "{ ret; }\nret;\n}", "p: .callprototype _ ();\nret;\n}",
		".entry f() {\nret;\n}", ".reg .b32 %r<4>;\n.entry f() {\nret;\n}", ".loc 1 2 3, inlined_at 1 2 3\nret;\n}", "@@DWARF x;\nret;\n}",
		"ret; // a; {b}\n}", "ret;\n/* } */\n}", "ret; // }\n}", "ret;\n#}\n}", ".pragma \"}\";\nret;\n}", ".shared .b8 a[2] = {1, 2};\nret;\n}",
		"ret;\n", "ret\n}", "st [a], {b, c;\nret;\n}\n}", "mov.b64 a, {b\n, c};\nret;\n}", "$ ret;\n}", "@ :\nret;\n}", "@ : .entry f() {\nret;\n}", "@/**/: ret;\n}",
	} {
		if agrees(t, body) {
			t.Errorf("gone over by lines: %q", body)
		}
	}
}

// agrees says whether a body is gone over by lines. In each way it ends where its tokens do.
func agrees(t *testing.T, body string) (lines bool) {
	t.Helper()
	want, m, _ := bodyEnd(body, byTokens)
	for way, name := range []string{byLines: "lines", byStatements: "statements"} {
		at, n, found := bodyEnd(body, way)
		lines = lines || found && way == byLines
		if found && (at != want || n != m) {
			near := min(at.off, want.off)
			t.Errorf("by %s it ends at %d (line %d) with %d instructions, by tokens at %d (%d) with %d:\n%s",
				name, at.off, at.line, n, want.off, want.line, m, body[max(0, near-150):min(len(body), near+50)])
		}
	}
	return lines
}

// spoils are what decides where a body ends.
var spoils = []string{";", ":", "::", "{", "}", "\n", "//", "/*", "#", "\"", ".", "@", "@ : ", "$", " ", ".entry f {", "ret;", "L:", "{a, b}", ".loc 1 2"}

// spoilt puts marks into a body, or takes bytes out of it.
func spoilt(body string, rng *rand.Rand) string {
	for range 1 + rng.IntN(3) {
		at := rng.IntN(len(body) + 1)
		if rng.IntN(2) == 0 {
			body = body[:at] + body[min(at+1, len(body)):]
			continue
		}
		body = body[:at] + spoils[rng.IntN(len(spoils))] + body[at:]
	}
	return body
}
