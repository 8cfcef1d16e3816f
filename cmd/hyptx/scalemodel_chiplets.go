package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/internal/gpu"
	"hyptx/internal/scalemodel"
)

// hyptx scalemodel chiplets: how much of a program's traffic goes from chiplet to
// chiplet, by where CTAs run and where pages lie (package scalemodel, chiplet.go). One
// emulation serves all numbers of chiplets.

// chipletFlags are those of hyptx scalemodel chiplets.
type chipletFlags struct {
	gpu, out string
	sms      int
	crossbar float64
	chipsFlags
	oneKernel
	failFast bool
}

// chipsFlags are those that chiplets have wherever they are counted or simulated.
type chipsFlags struct {
	chiplets    []int
	ctas, pages string
	pageBytes   int64
	linkRate    float64
}

// add adds the flags; numbers are those of chiplets that are taken unless others are given.
func (f *chipsFlags) add(c *cobra.Command, numbers []int, usage string) {
	fl := c.Flags()
	fl.IntSliceVar(&f.chiplets, "chiplets", numbers, usage)
	choose(c, &f.ctas, "cta-policy", string(gpu.Distributed), "of chiplets: where CTAs run, distributed or round_robin", gpu.CTAPolicies...)
	choose(c, &f.pages, "page-policy", string(gpu.FirstTouch), "of chiplets: where pages lie, first_touch, interleave or line", gpu.PagePolicies...)
	fl.Int64Var(&f.pageBytes, "page", 64<<10, "of chiplets: `bytes` of a page")
	fl.Float64Var(&f.linkRate, "link-rate", scalemodel.PaperLinks.GBPerS, "of chiplets: rate of a chiplet's link in `GB/s`, each way")
	within(c, "link-rate", &f.linkRate, mostGBPerS, "")
}

// mostGBPerS bounds --link-rate and --crossbar-rate: far above any network.
const mostGBPerS = 1e9

func (a *app) scalemodelChipletsCommand() *cobra.Command {
	var f chipletFlags
	c := &cobra.Command{
		Use: "chiplets MANIFEST.json|KERNEL.ptx --gpu NAME", Short: "Traffic between the chiplets of a GPU", Args: cobra.ExactArgs(1),
		Long: `Count the sectors that CTAs ask of their own chiplet and of others, launch by launch, before the L1s answer any. CTAs are distributed (as
many contiguous groups as chiplets) or go round robin; pages lie on the chiplet that touches them first, or go in turn, or lines do.
CTAs of a chiplet begin in order, as many at a time as its SMs hold of --gpu; warps take turns with a request each. Pages stay over
launches, and what the host writes touches nothing. Rates are those of the paper's table V unless --link-rate and --crossbar-rate say otherwise.`,
		Example: "  hyptx scalemodel chiplets net.json --gpu gv100 --chiplets 4,8,16\n  hyptx scalemodel chiplets net.json --gpu a100 --cta-policy round_robin --page-policy interleave -o chiplet.csv",
		RunE:    func(c *cobra.Command, args []string) error { return a.chiplets(c.Context(), args[0], &f) },
	}
	fl := c.Flags()
	fl.StringVar(&f.gpu, "gpu", "", "the GPU whose SMs the chiplets have: a `name` or a file *.json")
	f.chipsFlags.add(c, []int{4, 8, 16}, "how many chiplets, `numbers`")
	fl.IntVar(&f.sms, "sms", 64, "SMs of a chiplet, a `number`")
	between(c, "sms", &f.sms, 1, 4096) // as many as a GPU's file may have
	fl.Float64Var(&f.crossbar, "crossbar-rate", scalemodel.PaperLinks.CrossbarGBPerS, "rate of a chiplet's own network in `GB/s`")
	within(c, "crossbar-rate", &f.crossbar, mostGBPerS, "")
	fl.StringVarP(&f.out, "output", "o", "", "write chiplet.csv to this `file` (- for standard output)")
	addFailFast(c, &f.failFast)
	f.oneKernel.add(a, c)
	complete(c, "gpu", gpu.Names)
	c.ValidArgsFunction = completeFiles("json", "ptx")
	return c
}

// chiplets runs the command. The caches of --gpu are modelled beside, since the analysis hands
// requests on to caches only; what they say is not looked at.
func (a *app) chiplets(ctx context.Context, arg string, f *chipletFlags) error {
	if f.gpu == "" {
		return usagef("--gpu says whose SMs the chiplets have, as --gpu gv100")
	}
	run := &scalemodel.ChipletRun{SMs: f.sms, Links: scalemodel.Links{GBPerS: f.linkRate, CrossbarGBPerS: f.crossbar}}
	var inputs []analysis.Input
	outputs := []*output{rowsTo("-o", f.out, &inputs, func() any { return run.Rows })}
	if err := a.checkOutputs(append(gpuFiles(f.gpu), arg), outputs...); err != nil {
		return err
	}
	g, err := gpu.Get(f.gpu)
	if err != nil {
		return err
	}
	for _, n := range f.chiplets {
		c, err := scalemodel.NewChiplets(n, gpu.CTAPolicy(f.ctas), gpu.PagePolicy(f.pages), f.pageBytes)
		if err != nil {
			return usagef("%w", err)
		}
		run.Of = append(run.Of, c)
	}
	o := a.options(analysis.Memory, &programFlags{kernel: f.kernel, failFast: f.failFast})
	o.GPUs, o.WatchCTAs = []*gpu.GPU{g}, run.Watch
	var unfit error
	o.Each = func(p *analysis.Profile) error { unfit = errors.Join(unfit, endLaunch(run, p, g)); return nil }
	s, err := a.openOne(arg, f.bare, o)
	if err != nil {
		return err
	}
	inputs, run.Network = s.Inputs, s.Manifest.Name
	_, err = s.Profile(ctx)
	a.noteAssumed(s)
	if err = errors.Join(err, unfit); len(run.Rows) == 0 {
		return err
	}
	return errors.Join(err, a.finishRows(chipletTable(run.Rows), f.out, outputs))
}

// endLaunch ends a launch's rows, of which p is the profile.
func endLaunch(run *scalemodel.ChipletRun, p *analysis.Profile, g *gpu.GPU) error {
	lp := p.Launches[0]
	run.Assumed = lp.AssumedInputs
	switch err := lp.Unfit(); {
	case lp.Error != "":
		run.Failed(lp.KernelName, lp.Number, lp.Error)
	case err != nil:
		run.Failed(lp.KernelName, lp.Number, err.Error())
		return fmt.Errorf("launch %d (%s): %s: %w", lp.Number, lp.KernelName, g.Label(), err)
	default:
		run.End()
	}
	return nil
}

// chipletTable shows the rows.
func chipletTable(rows []*scalemodel.ChipletRow) *sheet {
	t := &sheet{spare: []string{"pages max"}, more: "-o has them"}
	t.add("launch", "kernel", "chiplets", "local", "remote", "remote %", "pages max", "link bytes", "limit")
	for _, r := range rows {
		share, limit := "", r.Limit
		if r.Local.Known {
			share = figures(100*float64(r.Remote.N)/float64(max(r.Local.N+r.Remote.N, 1)), 2)
		} else {
			limit = "failed"
		}
		t.add(fmt.Sprint(r.Launch), r.Kernel, fmt.Sprint(r.Chiplets), r.Local.String(), r.Remote.String(), share, r.PagesMax.String(), r.LinkMax.String(), limit)
	}
	return t
}
