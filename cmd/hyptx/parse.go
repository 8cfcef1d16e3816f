package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/internal/source"
	"hyptx/internal/ssa"
	"hyptx/ir"
	"hyptx/parser"
)

// hyptx parse: does hyptx read this file, and what is in it? All files are read even
// if some are wrong, and of a wrong one all errors are told (the parser goes on at
// the next statement), since PTX is generated and one generator's habit makes the
// same error in a thousand places. --reference reads by the printed grammar alone: if
// it and the fast readers ever disagree, the grammar is right.

var _ = register((*app).parseCommand)

func (a *app) parseCommand() *cobra.Command {
	var grammar, reference bool
	c := &cobra.Command{
		Use:   "parse FILE.ptx...",
		Short: "Check PTX files and summarise them",
		Long: "Check PTX files and summarise them. All errors of a file are shown, up to 50. What is\n" +
			"wrong within a function refuses that function, and what calls it; the others can be used.\n" +
			"With --lenient a version or a target that is too old is a warning.\n" +
			"\"-\" is standard input; files may be gzipped. --grammar prints the grammar;\n" +
			"--reference parses by it alone, without the fast readers: slower, to the same.",
		Example:           "  hyptx parse k.ptx\n  hyptx parse --grammar\n  hyptx parse --reference k.ptx",
		ValidArgsFunction: completeFiles("ptx", "gz"),
		Args:              cobra.ArbitraryArgs, // none with --grammar
		RunE: func(c *cobra.Command, args []string) error {
			if grammar {
				_, err := fmt.Fprintln(a.stdout, parser.Grammar())
				return err
			}
			if len(args) == 0 {
				return usagef("parse needs at least one file, or --grammar")
			}
			read := a.modules
			if reference {
				read = a.referenceModule
			}
			var failed error
			for _, path := range args {
				failed = errors.Join(failed, a.parse(path, read))
			}
			return failed
		},
	}
	c.Flags().BoolVar(&grammar, "grammar", false, "print the grammar as EBNF")
	c.Flags().BoolVar(&reference, "reference", false, "parse by the grammar alone")
	return c
}

// parse reads a .ptx file, shows what is wrong with it and summarises the rest.
func (a *app) parse(path string, read func(source.File, ...ir.Option) ([]*ir.Module, error)) error {
	src, err := a.ptx(path)
	if err != nil {
		return err
	}
	sized := sizes{}
	mods, err := read(src, ir.Finished(sized.add))
	failed := a.showFaults(src.Text, err)
	for _, m := range mods {
		for _, w := range m.Warnings {
			if !a.quiet {
				a.showFault(src.Text, "warning: ", w)
			}
		}
		failed = errors.Join(failed, a.summarise(m, sized))
	}
	return failed
}

// modules reads the modules of a .ptx file, or of a dump of several.
func (a *app) modules(src source.File, options ...ir.Option) ([]*ir.Module, error) {
	return guarded(a, func() ([]*ir.Module, error) { return src.Modules(options...) })
}

// referenceModule reads a .ptx file of one module by the grammar alone.
func (a *app) referenceModule(src source.File, options ...ir.Option) ([]*ir.Module, error) {
	return guarded(a, func() ([]*ir.Module, error) {
		m, err := parser.ParseReference(src.Name, src.Text)
		if err != nil && m.Unusable {
			return nil, err
		}
		if a.lenient {
			options = append(options, ir.Lenient)
		}
		mod, err := ir.Lower(m, options...)
		if mod == nil {
			return nil, err
		}
		return []*ir.Module{mod}, err
	})
}

// summarise prints what a module holds: a line for the file, and one for each
// function with its size, as
//
//	.entry  softmax  174 instructions  45 blocks  3 loops  16 registers a thread
//
// The registers are those that are alive at once, at most; PTX declares as many as
// its compiler liked, and ptxas assigns few of them. A name that is too long for the
// columns has a line to itself. A function that is only
// declared, or refused, has no body to count.
func (a *app) summarise(m *ir.Module, known sizes) error {
	instructions := len(m.Instrs)
	for _, f := range m.Funcs {
		instructions += known[f].instructions
	}
	t, err := guarded(a, func() (sheet, error) { return known.sheet(m), nil })
	if err != nil {
		return err
	}
	a.say("%s: PTX %d.%d, %s, %d-bit addresses, %s",
		m.File, m.PTXVersion/100, m.PTXVersion%100, m.Target, m.AddressSize, plural(instructions, "instruction"))
	t.print(a.text, a.columns())
	return nil
}

// size is that of a function.
type size struct{ instructions, blocks, loops, registers int }

// sizes are those of kernels of which nothing else is left.
type sizes map[*ir.Func]size

func (s sizes) add(f *ir.Func) { s[f] = measure(f, &ssa.Registers{}) }

func measure(f *ir.Func, r *ssa.Registers) size {
	return size{int(f.End - f.First), len(f.Blocks), len(f.Loops()), r.PerThread(f)}
}

// sheet lists the functions of a module.
func (s sizes) sheet(m *ir.Module) sheet {
	t := sheet{indent: "  ", apart: true}
	var registers ssa.Registers
	for _, f := range m.Funcs {
		kind := ".func"
		if f.Kernel {
			kind = ".entry"
		}
		if f.Refused != nil {
			t.add(kind, analysis.Demangle(f.Name), "refused: "+plural(len(f.Refused), "error"), "", "", "")
			continue
		}
		if !f.Defined {
			t.add(kind, analysis.Demangle(f.Name), "declared only", "", "", "")
			continue
		}
		z, ok := s[f]
		if !ok {
			z = measure(f, &registers)
		}
		t.add(kind, analysis.Demangle(f.Name), plural(z.instructions, "instruction"), plural(z.blocks, "block"),
			plural(z.loops, "loop"), plural(z.registers, "register")+" a thread")
	}
	return t
}
