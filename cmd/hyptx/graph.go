package main

import (
	"errors"
	"io"
	"strconv"
	"strings"

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
	var cta []int
	jump := -1
	c := &cobra.Command{
		Use:   "graph {FILE.ptx | MANIFEST.json}",
		Short: "Print a kernel's graphs as DOT",
		Long: "Print a kernel's control-flow graph, its dependency graph or the part of it that\n" +
			"decides the branches (HyPA's filtered dependency graph), for Graphviz. The graphs\n" +
			"are those of the kernel's first launch: its constants are folded. CTAs whose %ctaid\n" +
			"decides guards have graphs of their own: --cta shows one's, and --what classes lists\n" +
			"CTAs with equal graphs, as CSV.",
		Example: "  hyptx graph k.ptx --kernel k --what slice > k.dot\n" +
			"  hyptx graph k.ptx --what cfg | dot -Tsvg > k.svg\n" +
			"  hyptx graph k.ptx --grid 64 --what classes\n" +
			"  hyptx graph k.ptx --grid 64 --cta 63 --what slice --jump 17 > jump.dot",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeFiles("ptx", "json", "gz"),
		RunE: func(c *cobra.Command, args []string) error {
			as := asDOT
			if what == "classes" {
				as = asCSV
			}
			if err := errors.Join(refuse(
				refusal{cta != nil && (what == "cfg" || what == "classes"), "--cta: --what " + what + " is of all CTAs"},
				refusal{jump >= 0 && what != "slice", "--jump: the graph that a jump needs is a slice, of --what slice"},
			), a.checkOutputs(args, &output{flag: "-o", path: out, as: as})); err != nil {
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
				note, err = s.WriteGraph(w, what, cta, jump)
				return err
			})
			if err == nil && note != "" {
				a.note("%s", note)
			}
			return err
		},
	}
	choose(c, &what, "what", "deps", "which `graph`: cfg, deps or slice, or classes of CTAs", "cfg", "deps", "slice", "classes")
	c.Flags().StringVar(&kernel, "kernel", "", "the kernel, by `name`; may be left out if there is only one")
	c.Flags().StringVarP(&out, "output", "o", "", "write to this `file` instead of standard output")
	c.Flags().Func("cta", "the graph of this CTA, `x,y,z`", func(s string) (err error) {
		cta, err = place(s)
		return err
	})
	c.Flags().IntVar(&jump, "jump", jump, "with --what slice, what this jump needs: the `number` of an instruction")
	atLeast(c, "jump", &jump, 0)
	addBare(c, &bare)
	return c
}

// place reads one to three numbers from 0.
func place(s string) (at []int, err error) {
	for part := range strings.SplitSeq(s, ",") {
		n, err := strconv.ParseUint(strings.TrimSpace(part), 10, 31)
		if err != nil || len(at) == 3 {
			return nil, ownWords("must be one to three numbers from 0, as 3,0,1")
		}
		at = append(at, int(n))
	}
	return at, nil
}
