package main

import (
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/ir"
	"hyptx/parser"
)

var _ = register((*app).parseCommand)

func (a *app) parseCommand() *cobra.Command {
	var grammar, reference bool
	c := &cobra.Command{
		Use:   "parse FILE.ptx...",
		Short: "Check PTX files and summarise them",
		Long: "Check PTX files and summarise them. All errors of a file are shown, up to 50.\n" +
			"\"-\" is standard input; files may be gzipped. --grammar prints the grammar;\n" +
			"--reference parses by it alone, without the fast readers: slower, to the same.",
		Example:           "  hyptx parse k.ptx\n  hyptx parse --grammar\n  hyptx parse --reference k.ptx",
		ValidArgsFunction: completeFiles("ptx", "gz"),
		RunE: func(c *cobra.Command, args []string) error {
			if grammar {
				_, err := fmt.Fprintln(a.stdout, parser.Grammar())
				return err
			}
			if len(args) == 0 {
				return usageError{errors.New("parse needs at least one file, or --grammar")}
			}
			read := a.module
			if reference {
				read = a.referenceModule
			}
			var failed error
			for _, path := range args {
				m, err := read(path)
				if err != nil {
					failed = errors.Join(failed, err)
					continue
				}
				a.summarise(m)
			}
			return failed
		},
	}
	c.Flags().BoolVar(&grammar, "grammar", false, "print the grammar as EBNF")
	c.Flags().BoolVar(&reference, "reference", false, "parse by the grammar alone")
	return c
}

// referenceModule reads a .ptx file by the grammar alone.
func (a *app) referenceModule(path string) (*ir.Module, error) {
	src, err := a.ptx(path)
	if err != nil {
		return nil, err
	}
	m, err := parser.ParseReference(src.Name, src.Text)
	if err != nil {
		return nil, err
	}
	return ir.Lower(m)
}

// summarise prints what a module holds.
func (a *app) summarise(m *ir.Module) {
	fmt.Fprintf(a.stdout, "%s: PTX %d.%d, %s, %d-bit addresses, %s\n",
		m.File, m.PTXVersion/100, m.PTXVersion%100, m.Target, m.AddressSize, plural(len(m.Instrs), "instruction"))
	t := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	for _, f := range m.Funcs {
		kind := ".func"
		if f.Kernel {
			kind = ".entry"
		}
		if !f.Defined {
			fmt.Fprintf(t, "  %s\t%s\tdeclared only\t\t\t\n", kind, analysis.Demangle(f.Name))
			continue
		}
		fmt.Fprintf(t, "  %s\t%s\t%s\t%s\t%s\t%s a thread\n", kind, analysis.Demangle(f.Name), plural(int(f.End-f.First), "instruction"),
			plural(len(f.Blocks), "block"), plural(len(f.Loops()), "loop"), plural(f.RegistersPerThread(), "register"))
	}
	t.Flush()
}
