package sass

import (
	"bytes"
	"fmt"
	"slices"

	"hyptx/ir"
	"hyptx/parser"
)

// sourceName is the file that the line tables name.
const sourceName = "hyptx.ptx"

// lower reads PTX.
func lower(name string, ptx []byte) (*ir.Module, error) {
	src, err := parser.Parse(name, ptx)
	if err != nil {
		return nil, err
	}
	return ir.Lower(src)
}

// Which machine instructions an instruction of PTX became, only ptxas knows. It
// keeps a line table for debuggers, from machine code to lines of the source that
// .loc directives name. So each line of PTX is made to name itself as its own
// source, and the table comes back as a map from machine code to PTX.

// withLines puts a .loc before each line on which an instruction begins, which
// names this line, so that ptxas' line table says of each machine instruction
// which PTX it came of; a line that begins a function as well gets none. The PTX
// must have no .loc of its own.
func withLines(ptx []byte, mod *ir.Module) []byte {
	var begins []int
	for i := range mod.Instrs {
		begins = append(begins, int(mod.Instrs[i].Pos.Line))
	}
	slices.Sort(begins)
	var out bytes.Buffer
	n := 0
	first := true
	for line := range bytes.Lines(ptx) {
		n++
		_, is := slices.BinarySearch(begins, n)
		if is && !bytes.Contains(line, []byte(".func")) && !bytes.Contains(line, []byte(".entry")) {
			fmt.Fprintf(&out, "\t.loc 1 %d 0\n", n)
		}
		out.Write(line)
		if first && bytes.HasPrefix(bytes.TrimSpace(line), []byte(".address_size")) {
			fmt.Fprintf(&out, ".file 1 %q\n", sourceName)
			first = false
		}
	}
	return out.Bytes()
}
