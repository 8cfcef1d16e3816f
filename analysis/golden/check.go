package golden

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"hyptx/analysis"
)

// Verdict is what came of holding a run against a golden.
type Verdict struct {
	// Stale: the sample is not the one that the golden was made of.
	Stale bool
	// Equal: every bit is the same.
	Equal bool
	// Wrong says what differs by more than its bound.
	Wrong []string
}

// Bound compares two outputs that differ in a bit, the GPU's and ours, and says
// what lies beyond the documented bounds.
type Bound func(session *analysis.Session, gpu, ours analysis.Output) []string

// Check holds a run of the sample against its golden: what a GPU left in the
// outputs, or that the run must end with an error there and here. Feature
// programs say in their headers how far a result may be off, of all others
// bound does.
func Check(p Program, s Sample, session *analysis.Session, ours []analysis.Output, runErr error, bound Bound) Verdict {
	v := Verdict{Stale: p.Inputs != s.Inputs(session), Equal: true}
	switch {
	case p.Skipped != "":
		return v
	case s.Feature != nil && s.Feature.Fault != "":
		v.fault(p, s.Feature.Fault, runErr)
		return v
	case runErr != nil || p.Failed != "":
		v.wrong("the GPU's run ended with error %q, ours with error %q", p.Failed, fmt.Sprint(runErr))
		return v
	case len(p.Outputs) != len(ours):
		v.wrong("%d outputs on the GPU, %d here", len(p.Outputs), len(ours))
		return v
	}
	for i, o := range p.Outputs {
		v.output(o, s, session, ours[i], bound)
	}
	return v
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

func (v *Verdict) output(o Output, s Sample, session *analysis.Session, ours analysis.Output, bound Bound) {
	sum := sha256.Sum256(ours.Data)
	if o.Name == ours.Name && o.SHA256 == hex.EncodeToString(sum[:]) && o.Packed == nil {
		return
	}
	gpu, err := o.Unpack()
	switch {
	case err != nil:
		v.wrong("%v", err)
	case o.Name != ours.Name || o.Type != ours.Type.String() || o.Bytes != len(ours.Data):
		v.wrong("output %s (%s, %d bytes) on the GPU is %s (%s, %d bytes) here", o.Name, o.Type, o.Bytes, ours.Name, ours.Type, len(ours.Data))
	case o.Packed == nil:
		v.wrong("output %s: its hash differs, and only that was kept", o.Name)
	case bytes.Equal(gpu.Data, ours.Data):
	case s.Feature == nil:
		v.Equal = false
		v.Wrong = append(v.Wrong, bound(session, gpu, ours)...)
	default:
		v.Equal = false
		v.feature(s, gpu)
	}
}

// feature holds a GPU's results against what a header expects, to which our
// results are held by a test of their own.
func (v *Verdict) feature(s Sample, gpu analysis.Output) {
	for _, b := range s.Feature.Buffers {
		if b.Name == gpu.Name {
			for _, d := range s.Feature.Differences(b, gpu.Data) {
				v.Wrong = append(v.Wrong, "the GPU's "+d)
			}
		}
	}
}
