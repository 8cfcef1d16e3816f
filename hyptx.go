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
// Launch manifests are described in docs/manifests.md; package manifest reads them.
// What is not here (graphs, single launches, options of every kind) is had
// from those packages directly. Start with the examples.
package hyptx

import (
	"context"
	"fmt"

	"hyptx/analysis"
	"hyptx/internal/predict"
	"hyptx/internal/roofline"
	"hyptx/ir"
	"hyptx/parser"
)

// Parse reads PTX. name is the file's name, for messages only. The error lists
// all that is wrong, each with its place.
func Parse(name string, text []byte) (*parser.Module, error) { return parser.Parse(name, text) }

// Lower reads PTX and checks it: types, scopes, control flow. The result is a
// module whose functions have blocks, loops and instructions by number.
func Lower(name string, text []byte) (*ir.Module, error) {
	return analysis.Source{Name: name, Text: text}.Module()
}

// Options are the settings of [Profile] and [Run]; the zero value is not
// useful.
type Options = analysis.Options

// DefaultOptions returns the settings of the command: mode control, all cores,
// its limits.
func DefaultOptions() Options { return analysis.DefaultOptions() }

// Profile counts what each launch of the manifest in a file executes; a .ptx
// file alone is an error, analysis.OpenBare takes one. Its rows
// are the launches in order and their total. On an error the rows that were
// complete are returned beside it.
func Profile(ctx context.Context, path string, opts Options) (*analysis.Profile, error) {
	s, err := open(path, opts)
	if err != nil {
		return nil, err
	}
	return analysis.ProfileAll(ctx, []*analysis.Session{s})
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
	return predict.Run(ctx, devices, opts, func(o analysis.Options) ([]*analysis.Session, error) {
		s, err := open(path, o)
		if err != nil {
			return nil, err
		}
		return []*analysis.Session{s}, nil
	})
}

// Run executes the program of the manifest in a file and returns what it left
// in the outputs that the manifest names.
func Run(ctx context.Context, path string, opts Options) ([]analysis.Output, error) {
	s, err := open(path, opts)
	if err != nil {
		return nil, err
	}
	return s.Run(ctx)
}

func open(path string, opts Options) (*analysis.Session, error) {
	src, err := analysis.ReadSource(path, nil)
	if err != nil {
		return nil, err
	}
	if !src.IsManifest() {
		return nil, fmt.Errorf("%s is no launch manifest (JSON): PTX does not say how it is launched; hyptx manifest new writes a manifest for it, analysis.OpenBare takes a .ptx file with flags", path)
	}
	return analysis.OpenManifest(src, opts)
}
