package main

import (
	"io"

	"github.com/spf13/cobra"

	"hyptx/internal/manifest"
)

// hyptx graph: what a kernel looks like to the profiler. The graphs are those of a
// launch, not of the text: arguments and the launch's sizes are constants by then
// and are folded, so a branch on a flag that the launch sets has gone. That is why
// the command takes the flags of bare files. It prints DOT and draws nothing;
// Graphviz does that better, and a graph of 10,000 instructions is read by
// programs.

var _ = register((*app).graphCommand)

// graphCommand prints one of three graphs: cfg has blocks and branches, deps
// instructions and what each needs, and slice the part of deps that branches depend
// on, which mode control emulates. Who wonders why a profile is slow finds in the
// slice what could not be left out.
func (a *app) graphCommand() *cobra.Command {
	var what, kernel, out string
	var bare manifest.Flags
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
			if err := a.checkOutputs(args, &output{flag: "-o", path: out, as: asDOT}); err != nil {
				return err
			}
			opts := a.defaults()
			opts.Kernel = kernel
			s, err := a.openOne(args[0], bare, opts)
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
	choose(c, &what, "what", "deps", "which `graph`: cfg, deps or slice", "cfg", "deps", "slice")
	c.Flags().StringVar(&kernel, "kernel", "", "the kernel, by `name`; may be left out if there is only one")
	c.Flags().StringVarP(&out, "output", "o", "", "write to this `file` instead of standard output")
	addBare(c, &bare)
	return c
}
