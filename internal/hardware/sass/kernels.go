package sass

import (
	"context"
	"os"
	"path/filepath"
	"strconv"

	"hyptx/internal/source"
	"hyptx/ir/isa"
)

// Kernels compiles whole files for the architectures, those that the files'
// code runs on, and returns a row for each kernel. name gives each file its
// name in the table.
func (t *Toolkit) Kernels(ctx context.Context, files []string, name func(file string) string, targets []isa.Target) []*Row {
	return t.each(ctx, len(files), targets, func(i int, target isa.Target) []*Row {
		return t.kernelRows(ctx, i, files[i], name(files[i]), target)
	})
}

// kernelRows are the rows of one file for one architecture.
func (t *Toolkit) kernelRows(ctx context.Context, number int, file, name string, target isa.Target) []*Row {
	refused := func(err error) []*Row {
		return []*Row{{Kind: "kernel", Program: name, Arch: target.String(), Refused: err.Error()}}
	}
	src, err := source.Read(file, nil)
	if err != nil {
		return refused(err)
	}
	mod, err := lower(filepath.Base(file), src.Text)
	if err != nil {
		return refused(err)
	}
	if !target.Provides(mod.Target) {
		return nil
	}
	text, _ := Retarget(src.Text, t.Compiler(target))
	cubin, used, err := t.compile(ctx, "kernel"+strconv.Itoa(number)+"_"+target.String(), text, target)
	if err != nil {
		return refused(err)
	}
	defer os.Remove(cubin)
	out, err := command(ctx, t.cuobjdump, "-sass", cubin)
	if err != nil {
		return refused(err)
	}
	functions, err := Disassembly([]byte(out), "")
	if err != nil {
		return refused(err)
	}
	var rows []*Row
	for _, f := range functions {
		u := used[f.Name]
		r := &Row{Kind: "kernel", Program: name, Arch: target.String(), PTX: f.Name, Registers: u.registers, StackBytes: u.stack, SpillBytes: u.spill}
		if k := mod.Func(f.Name); k != nil {
			r.Count = int(k.End - k.First)
		}
		for _, in := range f.Instructions {
			r.add(in.Base())
		}
		rows = append(rows, r)
	}
	return rows
}
