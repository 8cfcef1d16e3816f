package device

import (
	"hyptx/analysis"
	"hyptx/internal/hardware/cuda"
	"hyptx/internal/manifest"
)

// An output is read from where it lies now, as the same bytes and type that the
// emulator gives, so that package compare need not know which machine left them.

// Outputs reads the manifest's outputs back; with an error, those before it.
func (p *Program) Outputs() ([]analysis.Output, error) {
	var outs []analysis.Output
	for _, o := range p.s.Manifest.Outputs {
		out, at, err := p.place(o)
		if err == nil {
			err = p.c.CopyOut(out.Data, at)
		}
		if err != nil {
			return outs, p.s.Manifest.Errorf(o.Path, "%w", err)
		}
		outs = append(outs, out)
	}
	return outs, nil
}

// place makes room for an output and says where it lies.
func (p *Program) place(o *manifest.Output) (out analysis.Output, at cuda.DevicePointer, err error) {
	out = analysis.Output{Name: o.Name, Type: o.Type}
	if o.Buffer != nil {
		out.Data = make([]byte, o.Bytes)
		return out, p.buffers[o.Buffer] + cuda.DevicePointer(o.Offset), nil
	}
	v, err := p.s.Variable(o.Symbol)
	if err != nil {
		return out, 0, err
	}
	if out.Type == manifest.NoType {
		out.Type = analysis.VariableType(v)
	}
	ref, n := o.Symbol, o.Bytes
	ref.Offset = o.Offset
	if n < 0 {
		n = v.Bytes - o.Offset
	}
	if at, err = p.variable(ref, n); err != nil {
		return out, 0, err
	}
	out.Data = make([]byte, n)
	return out, at, nil
}
