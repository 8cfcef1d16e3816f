package main

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hyptx/internal/figure"
	"hyptx/internal/number"
	"hyptx/internal/scalemodel"
)

// hyptx scalemodel: how fast a large GPU is, from two small ones that share as little
// as they are small (package scalemodel). Its subcommands are the steps: config makes
// the small GPUs, mrc the miss-rate curve of a program, predict the IPC of large sizes;
// validate and speedup repeat what the paper says of them from its published tables.

var _ = register((*app).scalemodelCommand)

func (a *app) scalemodelCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "scalemodel", Short: "Predict large GPUs from scale models of them",
		Long: `Predict how fast a program is on a large GPU from two small ones that have a part of its SMs and the same part of all that SMs share
(GPU Scale-Model Simulation, HPCA 2024).

IPC are thread instructions a cycle of the whole GPU; MPKI are misses of the last-level cache in sectors of 32 bytes for 1,000
thread instructions; a cliff is where the MPKI falls by more than half as capacity doubles; f_mem is the share of cycles in which
an SM of the larger scale model fetches nothing because all of its warps wait for memory.`,
		Example: "  hyptx scalemodel config --target gv100 --sms 8,16\n  hyptx scalemodel predict 112.7412 226.4367 6.1669 6.1787 6.1626 5.5243 0.1005 --f-mem 52\n  hyptx scalemodel validate measured",
	}
	c.AddCommand(a.scalemodelConfigCommand(), a.scalemodelMRCCommand(), a.scalemodelChipletsCommand(), a.scalemodelPredictCommand(), a.scalemodelSampleCommand(), a.scalemodelValidateCommand(), a.scalemodelSpeedupCommand())
	return c
}

// pictureFlags are those of a picture: its file and its paper.
type pictureFlags struct {
	path string
	themeFlag
}

func (f *pictureFlags) add(c *cobra.Command, what string) {
	c.Flags().StringVar(&f.path, "plot", "", "draw "+what+" to this `file` (.svg, .png or .pdf)")
	f.addTheme(c)
}

// output is the picture as an output that is yet to be drawn.
func (f *pictureFlags) output(draw func(figure.Look) ([]byte, error)) *output {
	o := &output{flag: "--plot", path: f.path, as: asPicture}
	o.fill = drawn(func() ([]byte, error) {
		return draw(f.look(o.ending()))
	})
	return o
}

// finishRows writes the files and prints the table, unless it, or something in its place, went to standard output
// or to -o.
func (a *app) finishRows(table *sheet, out string, outputs []*output) error {
	onStdout, err := a.writeOutputs(outputs)
	if err == nil && out == "" && !onStdout {
		table.print(a.text, a.columns())
	}
	return err
}

// detectorFlag adds the flag that chooses where a cliff is.
func detectorFlag(c *cobra.Command, p *string) {
	choose(c, p, "cliff", string(scalemodel.RatioDetector), "what a cliff is: ratio (the MPKI falls by more than half) or tool (the published tool's test, which sees less)",
		string(scalemodel.RatioDetector), string(scalemodel.ToolDetector))
}

// methodName is a method in a table.
func methodName(m scalemodel.Method) string { return strings.ReplaceAll(string(m), "_", " ") }

// figures writes a number for a table with so many decimals.
func figures(x float64, decimals int) string { return strconv.FormatFloat(x, 'f', decimals, 64) }

// known writes a number that may be unknown.
func known(x number.Real, decimals int) string { return cmp.Or(x.Fixed(decimals), "?") }
