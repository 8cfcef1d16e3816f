package isa

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// opcodeAt finds the opcode of a statement that stands on a line of its own,
// as compilers print them.
var opcodeAt = regexp.MustCompile(`(?m)^[ \t]*(?:@!?%?\w+[ \t]+)?([a-z]\w*(?:\.[\w:]+)*)\b[^;:\n]*;`)

// TestCNNOpcodes decodes every opcode of the networks.
func TestCNNOpcodes(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/cnn/*/kernels/*.ptx")
	if len(files) == 0 {
		t.Skip("../shared/cnn is absent")
	}
	seen := make(map[string]bool)
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range opcodeAt.FindAllSubmatch(text, -1) {
			opcode := string(m[1])
			if seen[opcode] {
				continue
			}
			seen[opcode] = true
			in, err := Decode(opcode)
			if err != nil {
				t.Errorf("%s: %v", filepath.Base(name), err)
				continue
			}
			if in.Op.String() == "" || in.Form.Class == noClass {
				t.Errorf("%s: op %v, class %v", opcode, in.Op, in.Form.Class)
			}
		}
	}
	if len(seen) < 75 {
		t.Errorf("only %d opcodes found; the expression is wrong", len(seen))
	}
}
