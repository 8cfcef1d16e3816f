package analysis

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"

	"hyptx/depgraph"
	"hyptx/internal/fp16"
	"hyptx/internal/manifest"
)

// Output is what a program left in one of the manifest's outputs.
type Output struct {
	Name string
	Type manifest.Type
	Data []byte
}

// Run executes the whole program and returns its outputs.
func (s *Session) Run(ctx context.Context) ([]Output, error) {
	for {
		switch _, ok, err := s.Step(ctx); {
		case err != nil:
			return nil, err
		case !ok:
			return s.outputs()
		}
	}
}

// Step executes the program to the end of its next launch and returns the
// launch's index. ok is false where there was none left: then what the host does after the
// last launch is done, too.
func (s *Session) Step(ctx context.Context) (launch int, ok bool, err error) {
	if s.next == 0 {
		s.Options.Mode, s.traffic = Full, false
		if err := s.precompile(nil); err != nil {
			return 0, false, err
		}
	}
	for s.next < len(s.steps) {
		if ctx.Err() != nil {
			return 0, false, context.Cause(ctx)
		}
		step := s.steps[s.next]
		s.next++
		if step.launch != nil {
			return step.launch.index, true, s.runFull(ctx, step.launch)
		}
		if err := s.host(step.host); err != nil {
			return 0, false, err
		}
	}
	return 0, false, nil
}

// runFull executes a launch.
func (s *Session) runFull(ctx context.Context, l *launchPlan) error {
	full := s.planner.Kernel(l.kernel).Specialise(l.dep).Slice(depgraph.Full)
	limited, cancel := s.limitLaunch(ctx)
	defer cancel()
	origins := s.orderSlice(full)
	o, err := s.runLaunch(limited, l, full, origins)
	if err != nil {
		return s.launchError(l, err)
	}
	for _, r := range o.results {
		if origins != nil {
			s.noteOrder(r.Program, r)
		}
	}
	return nil
}

// limitLaunch bounds the context of one launch by Options.LaunchTimeout.
func (s *Session) limitLaunch(ctx context.Context) (context.Context, context.CancelFunc) {
	d := s.Options.LaunchTimeout
	if d <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, d, fmt.Errorf("more than %s needed; the limit of a launch can be raised with option launch-timeout", d))
}

func (s *Session) launchError(l *launchPlan, err error) error {
	return fmt.Errorf("launch %d (%s): %w", l.number, l.kernel.Name, err)
}

// outputs reads the manifest's outputs from memory.
func (s *Session) outputs() ([]Output, error) {
	var outs []Output
	for _, o := range s.Manifest.Outputs {
		out := Output{Name: o.Name, Type: o.Type}
		if o.Buffer != nil {
			out.Data = make([]byte, o.Bytes)
			if err := s.memory[o.Buffer].Read(out.Data, o.Offset); err != nil {
				return nil, s.Manifest.Errorf(o.Path, "%w", err)
			}
			outs = append(outs, out)
			continue
		}
		mod, v, err := resolver{s}.variable(o.Symbol.Module, o.Symbol.Name)
		if err != nil {
			return nil, s.Manifest.Errorf(o.Path, "%w", err)
		}
		b := s.machine.Variable(mod, v)
		if b == nil {
			return nil, s.Manifest.Errorf(o.Path, "variable %s is not in global memory", v.Name)
		}
		n := o.Bytes
		if n < 0 {
			n = b.Bytes - o.Offset
		}
		if out.Type == manifest.NoType {
			out.Type = symbolType(v.Type)
		}
		out.Data = make([]byte, n)
		if err := b.Read(out.Data, o.Offset); err != nil {
			return nil, s.Manifest.Errorf(o.Path, "%w", err)
		}
		outs = append(outs, out)
	}
	return outs, nil
}

// Len returns the number of elements.
func (o Output) Len() int { return len(o.Data) / max(o.Type.Size(), 1) }

// Bits returns element i's bits.
func (o Output) Bits(i int) uint64 {
	n := o.Type.Size()
	var v uint64
	for k := n - 1; k >= 0; k-- {
		v = v<<8 | uint64(o.Data[i*n+k])
	}
	return v
}

// Float returns element i as a number.
func (o Output) Float(i int) float64 {
	v := o.Bits(i)
	switch o.Type {
	case manifest.F32:
		return float64(math.Float32frombits(uint32(v)))
	case manifest.F64:
		return math.Float64frombits(v)
	case manifest.F16:
		return float64(fp16.F16ToF32(uint16(v)))
	case manifest.BF16:
		return float64(fp16.BF16ToF32(uint16(v)))
	}
	if o.Type.IsSigned() {
		shift := 64 - 8*o.Type.Size()
		return float64(int64(v<<shift) >> shift)
	}
	return float64(v)
}

// maxListed is how many elements of an output are listed as numbers in JSON;
// its "data", in base64, has the bytes of all.
const maxListed = 1 << 16

// MarshalJSON writes an output with its values; NaN and the infinities, which
// JSON lacks, are strings.
func (o Output) MarshalJSON() ([]byte, error) {
	sum := sha256.Sum256(o.Data)
	v := struct {
		Name     string `json:"name"`
		Type     string `json:"type"`
		Elements int    `json:"elements"`
		NaNs     int    `json:"nan"`
		Infs     int    `json:"inf"`
		SHA256   string `json:"sha256"`
		Values   []any  `json:"values,omitempty"`
		Listed   int    `json:"listed"`
		Data     []byte `json:"data"`
	}{Name: o.Name, Type: o.Type.String(), Elements: o.Len(), SHA256: hex.EncodeToString(sum[:]), Data: o.Data}
	for i := range o.Len() {
		x := o.Float(i)
		if math.IsNaN(x) {
			v.NaNs++
		} else if math.IsInf(x, 0) {
			v.Infs++
		}
		if i < maxListed {
			v.Values = append(v.Values, o.Value(i))
		}
	}
	v.Listed = len(v.Values)
	return json.Marshal(v)
}

// Value returns element i as JSON has it.
func (o Output) Value(i int) any {
	x := o.Float(i)
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return fmt.Sprint(x)
	case o.Type == manifest.F32:
		return float32(x)
	case o.Type.IsFloat():
		return x
	case o.Type.IsSigned():
		shift := 64 - 8*o.Type.Size()
		return int64(o.Bits(i)<<shift) >> shift // not x, which has 53 bits
	}
	return o.Bits(i)
}
