// Package hyptx says what PTX kernels do on a GPU, without one: how many
// instructions of which kind each warp executes and where warps diverge, how
// long that takes and what power it draws.
//
// It is the library behind the command of the same name, five functions over
// the packages that do the work:
//
//	[Parse]    text -> syntax tree                          package parser
//	[Lower]    text -> typed functions, graphs, registers   package ir
//	[Profile]  a launch manifest -> exact counts             package analysis
//	[Predict]  a manifest and GPUs -> counts, times, power   package predict
//	[Run]      a launch manifest -> the buffers' contents    package analysis
//
// docs/manifests.md describes launch manifests. What is not here (graphs, slices,
// the views of a profile) is had from the packages themselves. Start with the
// examples.
package hyptx

import (
	"context"
	"fmt"

	"hyptx/analysis"
	"hyptx/internal/manifest"
	"hyptx/internal/predict"
	"hyptx/internal/roofline"
	"hyptx/internal/source"
	"hyptx/ir"
	"hyptx/parser"
)

// Parse reads PTX. name is the file's name, for messages only. The error lists
// all that is wrong, each with its place. Names in the tree are parts of text, which
// nobody may change any more; so it is with Lower.
func Parse(name string, text []byte) (*parser.Module, error) { return parser.Parse(name, text) }

// Lower reads PTX and checks it: types, scopes, control flow. The result is a
// module whose functions have blocks, loops and instructions by number. Where all
// errors stand within functions there is a module beside them, without these.
func Lower(name string, text []byte) (*ir.Module, error) {
	return source.File{Name: name, Text: text}.Module()
}

// Options are the settings of [Profile] and [Run]; the zero value is not
// useful.
type Options = analysis.Options

// DefaultOptions returns the settings of the command: mode control, all cores,
// its limits.
func DefaultOptions() Options { return analysis.DefaultOptions() }

// Bare says how the kernels of a .ptx file are launched, which PTX does not:
// [Profile] and [Predict] take one instead of a manifest. What it leaves out is
// assumed, and the rows say so.
type Bare = manifest.Flags

// Profile counts what each launch of the manifest in a file executes, or each
// kernel of a .ptx file, launched as opts.Bare says. Its rows are the launches
// in order and their total. On an error the rows that were complete are returned
// beside it.
func Profile(ctx context.Context, path string, opts Options) (*analysis.Profile, error) {
	sessions, err := open(ctx, path, opts)
	if err != nil {
		return nil, err
	}
	return analysis.ProfileAll(ctx, sessions)
}

// Prediction is what [Predict] returns.
type Prediction = predict.Prediction

// Predict says of the program of the manifest in a file how long its launches
// take on GPUs, and what power these draw: the GPUs that package gpu knows by
// name, or files of one's own. It is emulated once for all of them. Times are
// those of the default model, with the instructions that ptxas is estimated to
// make; power is AccelWattch's, by the energies that the GPU has. What is not
// known of a GPU leaves its figures out, and says why.
func Predict(ctx context.Context, path string, gpus []string, opts Options) (*Prediction, error) {
	devices, err := roofline.Devices(gpus)
	if err != nil {
		return nil, err
	}
	return predict.Run(ctx, devices, opts, func(o analysis.Options) ([]*analysis.Session, error) { return open(ctx, path, o) })
}

// Run executes the program of the manifest in a file and returns what it left
// in the outputs that the manifest names.
func Run(ctx context.Context, path string, opts Options) ([]analysis.Output, error) {
	sessions, err := open(ctx, path, opts)
	if err != nil {
		return nil, err
	}
	if len(sessions) > 1 {
		return nil, fmt.Errorf("%s has %d kernels: choose one with Options.Kernel", path, len(sessions))
	}
	return sessions[0].Run(ctx)
}

// open opens a manifest, or each kernel of a .ptx file.
func open(ctx context.Context, path string, opts Options) ([]*analysis.Session, error) {
	src, err := source.Read(path, nil)
	if err != nil {
		return nil, err
	}
	if !src.IsManifest() {
		return analysis.OpenBare(ctx, src, opts.Bare, opts)
	}
	s, err := analysis.OpenManifest(src, opts)
	if err != nil {
		return nil, err
	}
	return []*analysis.Session{s}, nil
}
