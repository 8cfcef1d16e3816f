package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/internal/hierarchy"
	"hyptx/internal/manifest"
	"hyptx/internal/source"
	"hyptx/ir"
)

// From an argument to programs. An argument is a manifest, which says itself how
// its kernels are launched, or a bare .ptx file, each kernel of which becomes a
// program of one launch by the flags below and by what package analysis assumes
// where they are silent. All commands that execute something open their
// arguments here.

// addBare adds the flags that say how a bare .ptx file is launched. Each is
// read into the library's form at once, so that a wrong one is an error of the
// command line, whatever the file.
func addBare(c *cobra.Command, b *manifest.Flags) {
	fl, limits := c.Flags(), manifest.LimitsFor(0, false)
	fl.Func("grid", "grid of a bare .ptx file in CTAs, `x,y,z`, as 1024 or 32,32", func(s string) (err error) {
		b.Grid, err = extents(s, limits.Grid)
		return err
	})
	fl.Func("block", "block of a bare .ptx file in threads, `x,y,z`, as 256 or 16,16", func(s string) (err error) {
		if b.Block, err = extents(s, limits.Block); err != nil {
			return err
		}
		threads := 1
		for _, n := range b.Block {
			threads *= n
		}
		if threads > limits.BlockThreads {
			return fmt.Errorf("%d threads; a block has at most %d", threads, limits.BlockThreads)
		}
		return nil
	})
	fl.Func("cluster", "cluster of a bare .ptx file in CTAs, `x,y,z`, as 2 or 2,2; without it what the kernel asks for", func(s string) (err error) {
		b.Cluster, err = extents(s, [3]int{16, 16, 16})
		return err
	})
	fl.Int64Var(&b.DynamicSharedBytes, "dynamic-shared", 0, "dynamic shared memory of a bare .ptx file in `bytes`")
	atLeast(c, "dynamic-shared", &b.DynamicSharedBytes, 0)
	fl.Func("arg", "argument of a bare .ptx file: `name=value`, position=value, name=@file.npy, or for structs name=hex:00ff", func(s string) error {
		b.Args = append(b.Args, s)
		return manifest.CheckFlagArg(s)
	})
	fl.StringVar(&b.Target, "target", "", "of a program or a dump with modules for several targets those for this one, a `name` as sm_80; without it each kernel is taken for the newest")
	fl.StringArrayVar(&b.Link, "link", nil, "link this `file`, which defines what a bare .ptx file declares .extern; may be given several times")
	fl.Func("default-scalar", "`value` of scalar arguments that nobody gave (default 1024)", func(s string) error {
		b.DefaultScalar = s
		_, err := manifest.ParseNumber(s)
		return err
	})
}

// bareGiven reports whether any of these flags was set.
func bareGiven(b manifest.Flags) bool {
	return b.Grid != nil || b.Block != nil || b.Cluster != nil || b.DynamicSharedBytes != 0 || b.Args != nil || b.Link != nil || b.Target != "" || b.DefaultScalar != ""
}

// programFlags are those of the commands that count what programs do, profile,
// roofline and power: which launches, how closely the caches look, and where the
// rows go.
type programFlags struct {
	kernel, launch string
	sample         hierarchy.Sample
	noTotal        bool
	failFast       bool
	bare           manifest.Flags
	outputs        []*output        // that flags name: -o, --json, those of one command
	inputs         []analysis.Input // what the rows are made of, for their stamp
	// prepare, if there is one, sets what a program's options need of what is known of it
	// once it is open.
	prepare func([]*analysis.Session) error
}

// add adds the flags to a command whose rows make up a file of that name. What -o
// names is made by its ending, because `-o rows.json` can mean one thing only; it
// stays what -o asked for, so that no table is printed beside it.
func (f *programFlags) add(a *app, c *cobra.Command, csv string, rows, document func(io.Writer) error) {
	fl := c.Flags()
	out := &output{flag: "-o", as: asRows, fill: func(w io.Writer) error {
		if f.asDocument() {
			return document(w)
		}
		return rows(w)
	}}
	f.outputs = []*output{out}
	fl.StringVarP(&out.path, "output", "o", "", "write "+csv+" to this `file` (- for standard output), or, if it ends in .json, the document of --json; without it a table is shown")
	f.file(c, "json", asJSON, "write all of it as one JSON document to this `file`", document)
	fl.StringVar(&f.kernel, "kernel", "", "only this kernel, by its PTX, C++ or base `name`")
	fl.StringVar(&f.launch, "launch", "", "only these launches: `numbers` from 0, ranges or labels, as 0,7-9")
	fl.Func("sample", "run only a sample of the waves of large launches for their accesses of memory and modelled caches, a `share` (0.1) or a number of CTAs a launch: it stands for the others, which are only counted; without it all of them run", func(s string) (err error) {
		f.sample, err = hierarchy.ParseSample(s)
		return err
	})
	addFailFast(c, &f.failFast)
	fl.BoolVar(&f.noTotal, "no-total", false, "write the rows of launches only")
	addBare(c, &f.bare)
	a.limits.add(c)
}

// addFailFast adds the flag that ends a program early.
func addFailFast(c *cobra.Command, failFast *bool) {
	c.Flags().BoolVar(failFast, "fail-fast", false, "end a program with its first launch that fails; without it that launch has a row with the reason, and the others go on")
}

// sampled reports whether --sample was given.
func (f *programFlags) sampled() bool { return f.sample != hierarchy.Sample{} }

// file adds a flag that names an output, and the output. What fills it is given here,
// long before there are rows: it is called at the end, if somebody asked for the file.
// So a command's flags, the check of names before the work, and the writing after it
// go by one list, and none can forget a file.
func (f *programFlags) file(c *cobra.Command, flag string, as format, usage string, fill func(io.Writer) error) *output {
	o := &output{flag: "--" + flag, as: as, fill: fill}
	c.Flags().StringVar(&o.path, flag, "", usage)
	f.outputs = append(f.outputs, o)
	return o
}

// toFile reports whether -o was given: then there is no table.
func (f *programFlags) toFile() bool { return f.outputs[0].asked() }

// asDocument reports whether -o asks for the document of --json.
func (f *programFlags) asDocument() bool { return f.outputs[0].ending() == "json" }

// csv fills a file with rows that are yet to be made.
func (f *programFlags) csv(rows func() any) func(io.Writer) error { return fillRows(&f.inputs, rows) }

// document fills a file with a JSON document of rows and more, and their stamp.
func (f *programFlags) document(of func() map[string]any) func(io.Writer) error {
	return func(w io.Writer) error {
		doc, stamp := of(), stampOf(f.inputs)
		doc["hyptx_version"], doc["inputs_sha256"] = stamp.Version, stamp.Inputs
		return writeJSON(w, doc, " ")
	}
}

// begin checks what will be read and written, before the work begins, and reads the
// files in lists of GPUs, on which results depend.
func (f *programFlags) begin(a *app, files []string, gpus ...string) error {
	if out, json := f.outputs[0], f.outputs[1]; f.asDocument() && json.asked() {
		return usagef("-o %s and --json %s: choose one", out.path, json.path)
	}
	own := gpuFiles(gpus...)
	if err := a.checkOutputs(append(own, files...), f.outputs...); err != nil {
		return err
	}
	for _, name := range own {
		if _, err := a.readInput(name, &f.inputs); err != nil {
			return err
		}
	}
	return nil
}

// extents reads "16,16,1" or "16x16"; each number is at least 1 and at most what
// the hardware takes.
func extents(s string, most [3]int) ([]int, error) {
	var out []int
	for part := range strings.SplitSeq(strings.ReplaceAll(s, "x", ","), ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || len(out) == 3 {
			return nil, ownWords("must be one to three numbers, as 32,32")
		}
		if limit := most[len(out)]; n < 1 || n > limit {
			return nil, fmt.Errorf("each number must be at least 1, number %d at most %d", len(out)+1, limit)
		}
		out = append(out, n)
	}
	return out, nil
}

// open opens what an argument names: a manifest, or each kernel of a bare .ptx
// file. Kernels that are wrong are reported; the others are returned.
func (a *app) open(path string, bare manifest.Flags, opts analysis.Options) ([]*analysis.Session, error) {
	src, err := a.read(path)
	if err != nil {
		return nil, err
	}
	sessions, wrong := a.openSource(src, bare, opts)
	if err := a.checkRead(sessions); err != nil {
		return nil, err
	}
	return sessions, wrong
}

// openSource opens a text that was read, and notes the names in it. The flags
// of bare files are refused for a manifest, not ignored: a grid that somebody
// gave and did not get would be a wrong result.
func (a *app) openSource(src source.File, bare manifest.Flags, opts analysis.Options) ([]*analysis.Session, error) {
	switch {
	case !src.IsManifest() && opts.Launch != "":
		return nil, fmt.Errorf("%s: --launch is for manifests; --kernel chooses a kernel of a .ptx file", src.Name)
	case !src.IsManifest():
		return guarded(a, func() ([]*analysis.Session, error) { return analysis.OpenBare(a.ctx, src, bare, opts) })
	case bareGiven(bare):
		return nil, fmt.Errorf("%s says itself how it is launched: --grid, --block, --arg and their like are for bare .ptx files", src.Name)
	}
	s, err := guarded(a, func() (*analysis.Session, error) { return analysis.OpenManifest(src, opts) })
	if err != nil {
		return nil, err
	}
	a.names.learnProgram(s)
	return []*analysis.Session{s}, nil
}

// openOne opens an argument that has to be one program: run, compare and graph
// have one result to show, and would have to invent names for several.
func (a *app) openOne(path string, bare manifest.Flags, opts analysis.Options) (*analysis.Session, error) {
	sessions, err := a.open(path, bare, opts)
	return onlyOne(path, sessions, err)
}

// opener opens manifests, and notes what they are made of.
func (a *app) opener(inputs *[]analysis.Input) func(path string, o analysis.Options) (*analysis.Session, error) {
	return func(path string, o analysis.Options) (*analysis.Session, error) {
		s, err := a.openOne(path, manifest.Flags{}, o)
		if err == nil {
			*inputs = append(*inputs, s.Inputs...)
		}
		return s, err
	}
}

// oneProgram are the flags of the commands that execute one program as a whole, run
// and compare: its launch, if it is a bare file, and the GPU beside the emulator.
type oneProgram struct {
	oneKernel
	ordinal int // of the GPU, as CUDA counts them
}

// oneKernel are the flags that say of a bare file which kernel it is, and its launch.
type oneKernel struct {
	kernel string
	bare   manifest.Flags
}

func (f *oneKernel) add(a *app, c *cobra.Command) {
	c.Flags().StringVar(&f.kernel, "kernel", "", "the kernel of a bare .ptx file, by `name`; may be left out if there is only one")
	addBare(c, &f.bare)
	a.limits.add(c)
}

func (f *oneProgram) add(a *app, c *cobra.Command) {
	c.Flags().IntVar(&f.ordinal, "device", 0, "which GPU of this machine, a `number` from 0")
	atLeast(c, "device", &f.ordinal, 0)
	f.oneKernel.add(a, c)
}

// check refuses the choice of a kernel in a manifest, all of whose launches run.
func (f *oneProgram) check(s *analysis.Session, path string) error {
	if f.kernel != "" && !isBare(s) {
		return fmt.Errorf("%s: --kernel is for bare .ptx files: of a manifest the whole program runs", path)
	}
	return nil
}

// onlyOne returns the session of an argument that has to be one program.
func onlyOne(path string, sessions []*analysis.Session, err error) (*analysis.Session, error) {
	if err != nil {
		return nil, err
	}
	if len(sessions) > 1 {
		return nil, fmt.Errorf("%s has %d kernels: choose one with --kernel", path, len(sessions))
	}
	return sessions[0], nil
}

// module reads a .ptx file.
func (a *app) module(path string) (*ir.Module, error) {
	src, err := a.ptx(path)
	if err != nil {
		return nil, err
	}
	m, err := guarded(a, func() (*ir.Module, error) { return src.Module() })
	if m != nil {
		a.warn(m.Warnings)
	}
	return m, err
}

// read reads a file or standard input, of which nobody knows when it ends.
func (a *app) read(path string) (source.File, error) {
	return guarded(a, func() (source.File, error) {
		src, err := source.Read(path, a.stdin)
		src.Lenient = a.lenient
		return src, err
	})
}

// ptx gives the text of a .ptx file.
func (a *app) ptx(path string) (source.File, error) {
	src, err := a.read(path)
	if err == nil && src.IsManifest() {
		err = fmt.Errorf("%s is a launch manifest, not PTX; `hyptx manifest check` checks it", src.Name)
	}
	return src, err
}
