package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"hyptx/analysis"
)

var _ = register((*app).graphCommand)

func (a *app) graphCommand() *cobra.Command {
	var what, kernel, out string
	var bare bareFlags
	c := &cobra.Command{
		Use:   "graph {FILE.ptx | MANIFEST.json}",
		Short: "Print a kernel's graphs as DOT",
		Long: "Print a kernel's control-flow graph, its dependency graph or the part of it that\n" +
			"decides the branches (HyPA's filtered dependency graph), for Graphviz. The graphs\n" +
			"are those of the kernel's first launch: its constants are folded.",
		Example: "  hyptx graph k.ptx --kernel k --what slice > k.dot\n" +
			"  hyptx graph k.ptx --what cfg | dot -Tsvg > k.svg",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeFiles("ptx", "json", "gz"),
		RunE: func(c *cobra.Command, args []string) error {
			if what != "cfg" && what != "deps" && what != "slice" {
				return usageError{fmt.Errorf("--what %s: must be cfg, deps or slice", what)}
			}
			if err := a.checkOutputs(args, out); err != nil {
				return err
			}
			opts := analysis.DefaultOptions()
			opts.Kernel = kernel
			s, err := a.openOne(args[0], &bare, opts)
			if err != nil {
				return err
			}
			var note string
			err = a.write(out, func(w io.Writer) (err error) {
				note, err = s.WriteGraph(w, what)
				return err
			})
			if err == nil && note != "" {
				a.note("%s", note)
			}
			return err
		},
	}
	c.Flags().StringVar(&what, "what", "deps", "which `graph`: cfg, deps or slice")
	c.Flags().StringVar(&kernel, "kernel", "", "the kernel, by `name`; may be left out if there is only one")
	c.Flags().StringVarP(&out, "output", "o", "", "write to this `file` instead of standard output")
	bare.add(c)
	c.RegisterFlagCompletionFunc("what", cobra.FixedCompletions([]string{"cfg", "deps", "slice"}, cobra.ShellCompDirectiveNoFileComp))
	return c
}
