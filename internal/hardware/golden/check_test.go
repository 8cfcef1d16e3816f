package golden

import (
	"bytes"
	"compress/flate"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"

	"hyptx/analysis"
	"hyptx/internal/featuretest"
	"hyptx/internal/hardware/compare"
	"hyptx/internal/manifest"
	"hyptx/internal/vary"
)

// Verdict is what came of holding a run against a golden.
type Verdict struct {
	// Stale: the sample is not the one that the golden was made of.
	Stale bool
	// Equal: every bit is the same.
	Equal bool
	// Wrong says what differs by more than its bound, Open what differs and has
	// no bound.
	Wrong, Open []string
}

// Check runs the sample in the emulator and holds it against its golden: what a
// GPU left in the outputs, or that the run must end with an error there and
// here. Feature programs say in their headers how far a result may be off, of
// all others package compare does.
func Check(ctx context.Context, p Program, s Sample) (Verdict, error) {
	session, err := s.Open()
	if err != nil {
		return Verdict{}, err
	}
	v := Verdict{Stale: p.Inputs != s.Inputs(session), Equal: true}
	if p.Skipped != "" {
		return v, nil
	}
	ours, runErr := session.Run(ctx)
	switch {
	case ctx.Err() != nil:
		return v, context.Cause(ctx)
	case s.Feature != nil && s.Feature.Fault != "":
		v.fault(p, s.Feature.Fault, runErr)
		return v, nil
	case runErr != nil || p.Failed != "":
		v.wrong("the GPU's run ended with error %q, ours with error %q", p.Failed, fmt.Sprint(runErr))
		return v, nil
	case len(p.Outputs) != len(ours):
		v.wrong("%d outputs on the GPU, %d here", len(p.Outputs), len(ours))
		return v, nil
	}
	var theirs []analysis.Output // that differ
	for i, o := range p.Outputs {
		if gpu, ok := v.output(o, ours[i]); !ok {
			theirs = append(theirs, gpu)
		}
	}
	if len(theirs) == 0 {
		return v, nil
	}
	v.Equal = false
	if s.Feature != nil {
		v.feature(s, theirs)
		return v, nil
	}
	return v, v.bounds(ctx, s, session, ours, theirs)
}

func (v *Verdict) wrong(format string, args ...any) {
	v.Equal = false
	v.Wrong = append(v.Wrong, fmt.Sprintf(format, args...))
}

// fault holds the ends of a program that must fail.
func (v *Verdict) fault(p Program, want string, runErr error) {
	if p.Failed == "" {
		v.wrong("the GPU's run ended without the error that the header demands (%s)", want)
	}
	if runErr == nil || !strings.Contains(runErr.Error(), want) {
		v.wrong("our run ended with %v, want an error about %q", runErr, want)
	}
}

// output holds one output against its golden; ok is false if it is to be held
// against the bounds.
func (v *Verdict) output(o Output, ours analysis.Output) (gpu analysis.Output, ok bool) {
	sum := sha256.Sum256(ours.Data)
	if o.Name == ours.Name && o.SHA256 == hex.EncodeToString(sum[:]) && o.Packed == nil {
		return gpu, true
	}
	gpu, err := o.Unpack()
	switch {
	case err != nil:
		v.wrong("%v", err)
	case o.Name != ours.Name || o.Type != ours.Type.String() || o.Bytes != len(ours.Data):
		v.wrong("output %s (%s, %d bytes) on the GPU is %s (%s, %d bytes) here", o.Name, o.Type, o.Bytes, ours.Name, ours.Type, len(ours.Data))
	case o.Packed == nil:
		v.wrong("output %s: its hash differs, and only that was kept", o.Name)
	default:
		return gpu, bytes.Equal(gpu.Data, ours.Data)
	}
	return gpu, true
}

// feature holds a GPU's results against what a header expects, to which our
// results are held by a test of their own.
func (v *Verdict) feature(s Sample, theirs []analysis.Output) {
	for _, gpu := range theirs {
		for _, b := range s.Feature.Buffers {
			if b.Name != gpu.Name {
				continue
			}
			for _, d := range featuretest.Differences(s.Feature, b, gpu.Data) {
				v.Wrong = append(v.Wrong, "the GPU's "+d)
			}
		}
	}
}

// bounds holds outputs that differ against the documented bounds.
func (v *Verdict) bounds(ctx context.Context, s Sample, session *analysis.Session, ours, theirs []analysis.Output) error {
	all := slices.Clone(ours) // equal where nothing else is known
	for _, gpu := range theirs {
		all[slices.IndexFunc(all, func(o analysis.Output) bool { return o.Name == gpu.Name })] = gpu
	}
	open := func(variation *vary.Variation) (*analysis.Session, error) {
		opts := analysis.DefaultOptions()
		opts.Variation = variation
		return analysis.OpenManifest(s.Source, opts)
	}
	r, err := compare.Judge(ctx, open, session, ours, all)
	if err != nil {
		return err
	}
	for _, b := range r.Outputs {
		if b.First == nil {
			continue
		}
		line := fmt.Sprintf("%s[%d]: %s on the GPU, %s here (%s; %d of %d elements differ, %d are open)",
			b.Name, b.First.Index, b.First.Other.Value, b.First.Emulator.Value, b.First.Verdict, b.Differs, b.Elements, b.Undecided+b.Unbounded)
		if b.Verdict == compare.Differs {
			v.Wrong = append(v.Wrong, line)
		} else {
			v.Open = append(v.Open, line)
		}
	}
	return nil
}

// Unpack returns the contents, or no bytes if only their hash was kept. It is
// an error if they are not what the hash says.
func (o Output) Unpack() (analysis.Output, error) {
	t, ok := manifest.ParseType(o.Type)
	if !ok {
		return analysis.Output{}, fmt.Errorf("output %s: unknown type %q", o.Name, o.Type)
	}
	out := analysis.Output{Name: o.Name, Type: t}
	if o.Packed == nil {
		return out, nil
	}
	data, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(o.Packed)), MaxData+1))
	if err != nil {
		return out, fmt.Errorf("output %s: deflated: %w", o.Name, err)
	}
	if sum := sha256.Sum256(data); len(data) != o.Bytes || hex.EncodeToString(sum[:]) != o.SHA256 {
		return out, fmt.Errorf("output %s: its data is not that of its sha256: the file was changed", o.Name)
	}
	out.Data = data
	return out, nil
}
