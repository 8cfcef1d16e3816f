package main

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hyptx/emulator"
	"hyptx/ir/isa"
)

// manualForm is a form as the manual writes it, with what its slots may be.
type manualForm struct {
	Form string
	Defs map[string][]string
}

var optionalPart = regexp.MustCompile(`\{[^{}]*\}`)

// choices are the words of the form's opcode with what may stand for each; optional
// ones are kept or left out.
func (f *manualForm) choices(optional bool) [][]string {
	opcode, _, _ := strings.Cut(strings.Replace(f.Form, "{.hi,.lo}", ".hi", 1), " ")
	for strings.Contains(opcode, "{") {
		opcode = optionalPart.ReplaceAllStringFunc(opcode, func(part string) string {
			if optional {
				return part[1 : len(part)-1]
			}
			return ""
		})
	}
	words := strings.Split(opcode, ".")
	choices := make([][]string, len(words))
	for i, w := range words {
		if choices[i] = f.Defs["."+w]; i == 0 || choices[i] == nil {
			choices[i] = []string{"." + w}
		}
	}
	choices[0][0] = words[0]
	return choices
}

// missing returns the alternatives that stand in no spelling of the form which hyptx
// decodes, and whether it executes all spellings that show the others.
func (f *manualForm) missing() (wanted []string, executed bool) {
	bare, whole := f.choices(false), f.choices(true)
	executed = true
	for i := range bare {
		for _, alt := range bare[i] {
			at := i
			in := decodable(bare, i, alt)
			for k := range whole { // .64x128b needs what the manual calls optional
				if in == nil && len(whole[k]) == len(bare[i]) && whole[k][0] == bare[i][0] {
					at = k
					in = decodable(whole, at, alt)
				}
			}
			if in == nil {
				wanted = append(wanted, alt)
			} else if emulator.Unsupported(in.Form) != "" {
				executed = false
			}
		}
	}
	return wanted, executed
}

// decodable decodes some spelling with alt at word i, nil if there is none.
func decodable(choices [][]string, i int, alt string) *isa.Inst {
	tries := 0
	var try func(k int, text string) *isa.Inst
	try = func(k int, text string) *isa.Inst {
		if k == len(choices) {
			tries++
			in, _ := isa.Decode(text)
			return in
		}
		if tries > 2000 {
			return nil
		}
		if k == i {
			return try(k+1, text+alt)
		}
		for _, c := range choices[k] {
			if in := try(k+1, text+c); in != nil {
				return in
			}
		}
		return nil
	}
	return try(0, "")
}

// notInManual are forms whose lists hold what the text of their sections excludes.
var notInManual = map[string]string{
	"set.CmpOp.type d, a, b": "packed integers are never unordered, nor signed ones lower",
	"ldmatrix.sync.aligned.m16n16.num.trans{.ss}.dst_fmt.src_fmt r, [p]": "there are two matrices at most of 16 rows",
}

// TestManualForms decodes every form that the manual has, and counts what isa.go says
// of them.
func TestManualForms(t *testing.T) {
	text, err := os.ReadFile("../../../shared/isa/ptx-isa-instructions.json")
	if err != nil {
		t.Skip("../shared/isa is absent")
	}
	var rows []struct {
		Op    string
		Sec94 string
		Forms []manualForm
	}
	if err := json.Unmarshal(text, &rows); err != nil {
		t.Fatal(err)
	}
	forms, decoded, executed := 0, 0, 0
	for _, r := range rows {
		for i := range r.Forms {
			f := &r.Forms[i]
			forms++
			if r.Op == "{}" || r.Op == "@" { // braces and guards
				decoded, executed = decoded+1, executed+1
				continue
			}
			wanted, runs := f.missing()
			if len(wanted) > 0 && notInManual[f.Form] == "" {
				t.Errorf("%s: %s: %v", r.Sec94, f.Form, wanted)
				continue
			}
			if runs {
				executed++
			}
			decoded++
		}
	}
	if forms != manualForms || decoded != manualDecoded || executed != manualExecuted {
		t.Errorf("of %d forms of the manual %d are decoded and %d executed; isa.go says %d, %d and %d",
			forms, decoded, executed, manualForms, manualDecoded, manualExecuted)
	}
}

// notExecuted are the forms of the table that are read and counted alone, by how they begin,
// and the modifiers with which others are: what depends on other GPUs, and what the manual
// leaves open.
var notExecuted = struct{ forms, modifiers []string }{
	forms:     []string{"fabric.", "createpolicy.range.fabric.", "fence.proxy.fabric."},
	modifiers: []string{".ashift"},
}

// TestNothingElseMissing: no form, and no modifier of one, is missing but those above, and each
// is named with a reason of its own.
func TestNothingElseMissing(t *testing.T) {
	used := map[string]bool{}
	for _, f := range isa.Forms() {
		if reason := emulator.Unsupported(f); reason != "" {
			i := slices.IndexFunc(notExecuted.forms, func(prefix string) bool { return strings.HasPrefix(f.Syntax, prefix) })
			if i < 0 {
				t.Errorf("%s is missing: %s", f.Syntax, reason)
				continue
			}
			used[notExecuted.forms[i]] = true
		}
		for reason, words := range exceptions(f) {
			for _, word := range words {
				if used[word] = true; !slices.Contains(notExecuted.modifiers, word) || reason == "" {
					t.Errorf("%s is missing with %s: %q", f.Syntax, word, reason)
				}
			}
		}
	}
	for _, name := range slices.Concat(notExecuted.forms, notExecuted.modifiers) {
		if !used[name] {
			t.Errorf("nothing is missing of %s", name)
		}
	}
}
