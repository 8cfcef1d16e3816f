package ir

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"hyptx/parser"
)

// names are those of registers and what stands like one.
var names = regexp.MustCompile(`%[a-z]+[0-9]*\b|\b0[fx][0-9A-Fa-f]+\b|\[[^\[\]]*\]`)

// TestShortWay: what goes the short way is what the general way makes of it, in texts as
// compilers print them, and in such texts with operands exchanged, most of which are wrong:
// then both tell the same.
func TestShortWay(t *testing.T) {
	files, err := filepath.Glob("../internal/source/testdata/producers/*.ptx")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	random := rand.New(rand.NewPCG(11, 4))
	wrong, right := 0, 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		places := names.FindAllIndex(text, -1)
		for i := range 12 {
			mutant := string(text)
			if i > 0 && len(places) > 1 {
				mutant = exchanged(mutant, places[random.IntN(len(places))], places[random.IntN(len(places))])
			}
			short, general := lowered(mutant), lowered(mutant, func(l *lowerer) { l.noShortWays = true })
			if short != general {
				t.Fatalf("%s\nthe short way:\n%s\nthe general way:\n%s", mutant, short, general)
			}
			if short[0] == '!' {
				wrong++
			} else {
				right++
			}
		}
	}
	if wrong < 50 || right < 50 {
		t.Errorf("%d texts were wrong and %d right", wrong, right)
	}
}

// exchanged returns text with two of its parts exchanged.
func exchanged(text string, a, b []int) string {
	if a[0] > b[0] {
		a, b = b, a
	}
	if a[1] > b[0] {
		return text
	}
	return text[:a[0]] + text[b[0]:b[1]] + text[a[1]:b[0]] + text[a[0]:a[1]] + text[b[1]:]
}

// lowered says what lowering makes of a text, after a ! where it is wrong.
func lowered(text string, options ...Option) string {
	tree, err := parser.Parse("k.ptx", []byte(text))
	if tree.Unusable {
		return fmt.Sprint("! ", err)
	}
	m, err := Lower(tree, options...)
	said := "="
	if err != nil {
		said = fmt.Sprint("! ", err)
	}
	if m == nil {
		return said
	}
	for _, w := range m.Warnings {
		said += fmt.Sprint("\n", w)
	}
	for _, f := range m.Funcs {
		for pc := f.First; f.Defined && pc < f.End; pc++ {
			in := &m.Instrs[pc]
			said += fmt.Sprintf("\n%v %s %v %v", in.Pos, f.Text(pc), in.Defs(), in.Uses())
			for i := range in.Ops() {
				said += fmt.Sprint(" ", in.Ops()[i].Kind, in.Ops()[i].Type)
			}
		}
	}
	return said
}
