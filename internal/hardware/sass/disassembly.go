package sass

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Function is the machine code of one kernel or device function.
type Function struct {
	Name string
	// Arch is the architecture, as sm_80; "" where the text does not say.
	Arch         string
	Instructions []Instruction
}

// Instruction is one machine instruction.
type Instruction struct {
	Address uint64
	// Guard is the predicate without '@', as "!P0"; "" without one.
	Guard string
	// Opcode with its modifiers, as IMAD.MOV.U32.
	Opcode string
	// Line is the line of the source file to which the code's line table
	// ascribes it; 0 if it has none.
	Line int
}

// Base is the opcode without modifiers.
func (i Instruction) Base() string {
	base, _, _ := strings.Cut(i.Opcode, ".")
	return base
}

// cuobjdump -sass and nvdisasm -g print machine code with different things around
// it; instructions look the same in both:
//
//	        /*0050*/                   @!P0 IMAD.MOV.U32 R4, RZ, RZ, R2 ;
//
// is address 0x50, guard !P0, opcode IMAD.MOV.U32. Operands are not read, but for
// those of a branch: a function ends with one to itself, behind which there is
// only padding.

// The lines of a disassembly that are read. Encodings (/* 0x... */ alone) and
// directives are passed over.
var (
	archLine     = regexp.MustCompile(`^(?:arch = |\s+code for |\s*\.target\s+)(sm_\w+)\s*$`)
	functionLine = regexp.MustCompile(`^\s*Function : (\S+)`)
	sectionLine  = regexp.MustCompile(`^\.text\.(\S+):`)
	sourceLine   = regexp.MustCompile(`^\s*//## File "([^"]*)", line (\d+)`)
	codeLine     = regexp.MustCompile(`^\s*/\*([0-9a-f]+)\*/\s+(?:\{\s*)?(?:@(!?U?P[T0-9]+)\s+)?([A-Z][A-Z0-9_]*(?:\.[A-Za-z0-9_]+)*)([^;/]*)`)
	selfBranch   = regexp.MustCompile("^\\s*(?:(0x[0-9a-f]+)|`\\((\\.L_[A-Za-z0-9_]+)\\))\\s*$")
	labelLine    = regexp.MustCompile(`^(\.L_[A-Za-z0-9_]+):`)
)

// disassembly is a text being read.
type disassembly struct {
	functions []*Function
	// inFunction: instructions belong to the last function.
	inFunction bool
	arch       string
	line       int
	// file is the source whose lines count; "" for any.
	file  string
	label string // that stands right before the instruction
}

// Disassembly reads what `cuobjdump -sass` or `nvdisasm` prints. Instructions
// are ascribed to lines of the source file called file only ("" for any). The
// padding at a function's end (a branch to itself and NOP) is left out.
func Disassembly(text []byte, file string) ([]*Function, error) {
	d := &disassembly{file: file}
	for line := range bytes.Lines(text) {
		if err := d.read(strings.TrimRight(string(line), "\r\n")); err != nil {
			return nil, err
		}
	}
	if len(d.functions) == 0 {
		return nil, fmt.Errorf("no function in the disassembly: expected lines %q or %q", "Function : name", ".text.name:")
	}
	for _, f := range d.functions {
		f.trim()
	}
	return d.functions, nil
}

func (d *disassembly) read(line string) error {
	if m := codeLine.FindStringSubmatch(line); m != nil {
		return d.instruction(m)
	}
	if m := archLine.FindStringSubmatch(line); m != nil {
		d.arch = m[1]
		return nil
	}
	m := functionLine.FindStringSubmatch(line)
	if m == nil {
		m = sectionLine.FindStringSubmatch(line)
	}
	if m != nil {
		d.functions = append(d.functions, &Function{Name: m[1], Arch: d.arch})
		d.inFunction, d.line, d.label = true, 0, ""
		return nil
	}
	if strings.HasPrefix(line, "//---") || strings.Contains(line, "\t.section\t") && !strings.Contains(line, ".text.") {
		d.inFunction = false
	}
	if m := labelLine.FindStringSubmatch(line); m != nil {
		d.label = m[1]
	}
	if m := sourceLine.FindStringSubmatch(line); m != nil && (d.file == "" || strings.HasSuffix(m[1], d.file)) {
		var err error
		if d.line, err = strconv.Atoi(m[2]); err != nil {
			return fmt.Errorf("%q: %w", line, err)
		}
	}
	return nil
}

func (d *disassembly) instruction(m []string) error {
	if !d.inFunction {
		return fmt.Errorf("instruction %s at %s stands in no function", m[3], m[1])
	}
	address, err := strconv.ParseUint(m[1], 16, 64)
	if err != nil {
		return fmt.Errorf("address %s: %w", m[1], err)
	}
	f := d.functions[len(d.functions)-1]
	in := Instruction{Address: address, Guard: m[2], Opcode: m[3], Line: d.line}
	if target := selfBranch.FindStringSubmatch(m[4]); in.Opcode == "BRA" && in.Guard == "" && target != nil {
		if n, err := strconv.ParseUint(target[1], 0, 64); err == nil && n == address || target[2] != "" && target[2] == d.label {
			in.Opcode = stop
		}
	}
	d.label = ""
	f.Instructions = append(f.Instructions, in)
	return nil
}

// stop is the branch to itself behind a function's code.
const stop = "BRA.SELF"

// trim takes the padding off the end. A branch to itself elsewhere is a branch.
func (f *Function) trim() {
	n := len(f.Instructions)
	for n > 0 && f.Instructions[n-1].Opcode == "NOP" {
		n--
	}
	if n > 0 && f.Instructions[n-1].Opcode == stop {
		n--
	}
	f.Instructions = f.Instructions[:n]
	for i := range f.Instructions {
		if f.Instructions[i].Opcode == stop {
			f.Instructions[i].Opcode = "BRA"
		}
	}
}
