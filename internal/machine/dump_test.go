package machine

import (
	"fmt"
	"os"
	"testing"

	"hyptx/internal/ssa"
	"hyptx/ir"
	"hyptx/parser"
)

func TestDump(t *testing.T) {
	path := os.Getenv("DUMP")
	if path == "" {
		t.Skip()
	}
	text, _ := os.ReadFile(path)
	src, err := parser.Parse(path, text)
	if err != nil {
		t.Fatal(err)
	}
	m, err := ir.Lower(src)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range m.Kernels() {
		if k := os.Getenv("KERNEL"); k != "" && k != f.Name {
			continue
		}
		l := List(ssa.Build(f), nil)
		fmt.Printf("%s: %d blocks, %d slots\n", f.Name, len(l.Blocks), l.Slots)
		for n, b := range l.Blocks {
			fmt.Printf("block %d:", n)
			for _, p := range b.Parts {
				fmt.Printf(" %d->%v", p.PTX, p.Edges)
			}
			fmt.Println()
			for _, o := range b.Ops {
				fmt.Printf("  %-14v part %d dst %3d srcs %v bytes %d guarded %v   // %s\n", o.Kind, o.Part, o.Dst, o.Srcs, o.Bytes, o.Guarded, f.Text(o.PC))
			}
		}
	}
}
