package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/internal/manifest"
	"hyptx/ir"
)

// From an argument to programs. An argument is a manifest, which says itself how
// its kernels are launched, or a bare .ptx file, each kernel of which becomes a
// program of one launch by the flags below and by what package analysis assumes
// where they are silent. All commands that execute something open their
// arguments here.

// bareFlags say how to launch a bare .ptx file.
type bareFlags struct {
	grid, block   string
	dynamicShared int64
	args          []string
	defaultScalar string
}

func (b *bareFlags) add(c *cobra.Command) {
	fl := c.Flags()
	fl.StringVar(&b.grid, "grid", "", "grid of a bare .ptx file in CTAs, `x,y,z`, as 1024 or 32,32")
	fl.StringVar(&b.block, "block", "", "block of a bare .ptx file in threads, `x,y,z`, as 256 or 16,16")
	fl.Int64Var(&b.dynamicShared, "dynamic-shared", 0, "dynamic shared memory of a bare .ptx file in `bytes`")
	fl.StringArrayVar(&b.args, "arg", nil, "argument of a bare .ptx file: `name=value`, position=value, name=@file.npy, or for structs name=hex:00ff")
	fl.StringVar(&b.defaultScalar, "default-scalar", "", "`value` of scalar arguments that nobody gave (default 1024)")
}

// given reports whether any of the flags was set.
func (b *bareFlags) given() bool {
	return b.grid != "" || b.block != "" || b.dynamicShared != 0 || len(b.args) > 0 || b.defaultScalar != ""
}

// flags returns the manifest package's form.
func (b *bareFlags) flags() (f manifest.Flags, err error) {
	f = manifest.Flags{DynamicSharedBytes: b.dynamicShared, Args: b.args, DefaultScalar: b.defaultScalar}
	if b.dynamicShared < 0 {
		return f, usageError{fmt.Errorf("--dynamic-shared %d: must not be negative", b.dynamicShared)}
	}
	limits := manifest.LimitsFor(0, false)
	if f.Grid, err = extents("--grid", b.grid, limits.Grid); err != nil {
		return f, err
	}
	if f.Block, err = extents("--block", b.block, limits.Block); err != nil {
		return f, err
	}
	threads := 1
	for _, n := range f.Block {
		threads *= n
	}
	if threads > limits.BlockThreads {
		return f, fmt.Errorf("--block %s: %d threads; a block has at most %d", b.block, threads, limits.BlockThreads)
	}
	if b.defaultScalar != "" {
		if _, err := manifest.ParseNumber(b.defaultScalar); err != nil {
			return f, usageError{fmt.Errorf("--default-scalar: %w", err)}
		}
	}
	for _, arg := range b.args {
		if err := manifest.CheckFlagArg(arg); err != nil {
			return f, usageError{fmt.Errorf("--arg %s: %w", arg, err)}
		}
	}
	return f, nil
}

// extents reads "16,16,1" or "16x16"; each number is at least 1 and at most what
// the hardware takes.
func extents(flag, s string, most [3]int) ([]int, error) {
	if s == "" {
		return nil, nil
	}
	var out []int
	for part := range strings.SplitSeq(strings.ReplaceAll(s, "x", ","), ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || len(out) == 3 {
			return nil, usageError{fmt.Errorf("%s %s: must be one to three numbers, as 32,32", flag, s)}
		}
		if limit := most[len(out)]; n < 1 || n > limit {
			return nil, fmt.Errorf("%s %s: each number must be at least 1, number %d at most %d", flag, s, len(out)+1, limit)
		}
		out = append(out, n)
	}
	return out, nil
}

// open opens what an argument names: a manifest, or each kernel of a bare .ptx
// file. Kernels that are wrong are reported; the others are returned.
func (a *app) open(path string, bare *bareFlags, opts analysis.Options) ([]*analysis.Session, error) {
	if _, err := bare.flags(); err != nil {
		return nil, err
	}
	src, err := analysis.ReadSource(path, a.stdin)
	if err != nil {
		return nil, err
	}
	sessions, wrong := openSource(src, bare, opts)
	if err := a.checkRead(sessions); err != nil {
		return nil, err
	}
	return sessions, wrong
}

// openSource opens a text that was read.
func openSource(src analysis.Source, bare *bareFlags, opts analysis.Options) ([]*analysis.Session, error) {
	flags, err := bare.flags()
	if err != nil {
		return nil, err
	}
	if !src.IsManifest() {
		if opts.Launch != "" {
			return nil, fmt.Errorf("%s: --launch is for manifests; --kernel chooses a kernel of a .ptx file", src.Name)
		}
		return analysis.OpenBare(src, flags, opts)
	}
	if bare.given() {
		return nil, fmt.Errorf("%s says itself how it is launched: --grid, --block, --arg and their like are for bare .ptx files", src.Name)
	}
	s, err := analysis.OpenManifest(src, opts)
	if err != nil {
		return nil, err
	}
	return []*analysis.Session{s}, nil
}

// openOne opens an argument that has to be one program.
func (a *app) openOne(path string, bare *bareFlags, opts analysis.Options) (*analysis.Session, error) {
	sessions, err := a.open(path, bare, opts)
	return onlyOne(path, sessions, err)
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
	return src.Module()
}

// ptx gives the text of a .ptx file.
func (a *app) ptx(path string) (analysis.Source, error) {
	src, err := analysis.ReadSource(path, a.stdin)
	if err == nil && src.IsManifest() {
		err = fmt.Errorf("%s is a launch manifest, not PTX; `hyptx manifest check` checks it", src.Name)
	}
	return src, err
}
