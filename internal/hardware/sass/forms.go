package sass

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"hyptx/ir"
	"hyptx/ir/isa"
	"hyptx/ptx-samples/features"
)

// Forms compiles every feature program for the architectures and returns a row
// for each opcode in it that is of a form which the program proves. ptxas
// ascribes the machine instructions to the PTX; what is folded into other
// instructions counts there, and may leave none. A context that ends leaves
// the rows that are complete.
func (t *Toolkit) Forms(ctx context.Context, samples []*features.Sample, targets []isa.Target) []*Row {
	return t.each(ctx, len(samples), targets, func(i int, target isa.Target) []*Row {
		return t.formRows(ctx, samples[i], target)
	})
}

// each runs work for all numbers and architectures on all cores and joins the
// rows in order. Work that ends after the context has is left out.
func (t *Toolkit) each(ctx context.Context, n int, targets []isa.Target, work func(i int, target isa.Target) []*Row) []*Row {
	parts := make([][]*Row, n*len(targets))
	var group sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i := range parts {
		free <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		group.Go(func() {
			if rows := work(i/len(targets), targets[i%len(targets)]); ctx.Err() == nil {
				parts[i] = rows
			}
			<-free
		})
	}
	group.Wait()
	return slices.Concat(parts...)
}

// formRows are the rows of one program for one architecture.
func (t *Toolkit) formRows(ctx context.Context, s *features.Sample, target isa.Target) []*Row {
	mod, err := lower(s.File(), s.Program())
	if err != nil {
		return []*Row{{Kind: "form", Program: s.Name, Arch: target.String(), Refused: err.Error()}}
	}
	rows, at := opcodes(s, mod, target)
	functions, err := t.machineCode(ctx, s, mod, target)
	if err != nil {
		for _, r := range rows {
			r.Refused = err.Error()
		}
		return rows
	}
	for _, f := range functions {
		for _, in := range f.Instructions {
			if r := at[in.Line]; r != nil {
				r.add(in.Opcode)
			}
		}
	}
	return rows
}

// machineCode compiles a program for an architecture and returns its functions,
// whose instructions name the lines of the PTX that they came of.
func (t *Toolkit) machineCode(ctx context.Context, s *features.Sample, mod *ir.Module, target isa.Target) ([]*Function, error) {
	text, _ := Retarget(withLines(s.Program(), mod), t.Compiler(target))
	cubin, _, err := t.compile(ctx, s.Name+"_"+target.String(), text, target)
	if err != nil {
		return nil, err
	}
	defer os.Remove(cubin)
	out, err := command(ctx, t.nvdisasm, "-g", "-c", cubin)
	if err != nil {
		return nil, err
	}
	functions, err := Disassembly([]byte(out), sourceName)
	if err != nil {
		return nil, err
	}
	return functions, checkLines(functions)
}

// checkLines makes sure that the disassembly has a line table: without one
// every form would seem to cost nothing.
func checkLines(functions []*Function) error {
	hasLine := func(in Instruction) bool { return in.Line > 0 }
	if slices.ContainsFunc(functions, func(f *Function) bool { return slices.ContainsFunc(f.Instructions, hasLine) }) {
		return nil
	}
	return fmt.Errorf("nvdisasm -g names no line of %s", sourceName)
}

func (r *Row) add(opcode string) {
	if r.SASS == nil {
		r.SASS = Opcodes{}
	}
	r.SASS[opcode]++
	r.Machine++
}

// opcodes makes a row for each opcode of the program that is of a form which it
// proves, and says which row each line belongs to.
func opcodes(s *features.Sample, mod *ir.Module, target isa.Target) (rows []*Row, at map[int]*Row) {
	at = map[int]*Row{}
	byOpcode := map[string]*Row{}
	for i := range mod.Instrs {
		in := &mod.Instrs[i]
		if !slices.Contains(s.Forms, in.Inst.Form.Syntax) {
			continue
		}
		name := in.Inst.Opcode
		r := byOpcode[name]
		if r == nil {
			r = &Row{Kind: "form", Program: "features/" + s.Name, Arch: target.String(), Form: strings.Join(strings.Fields(in.Inst.Form.Syntax), " "), PTX: name}
			byOpcode[name], rows = r, append(rows, r)
		}
		r.Count++
		at[int(in.Pos.Line)] = r
	}
	return rows, at
}
