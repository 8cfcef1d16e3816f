package analysis

import (
	"errors"
	"fmt"
	"strings"

	"hyptx/emulator/manifest"
	"hyptx/ir"
)

// OpenManifest reads a launch manifest and everything that it names.
func OpenManifest(src Source, opts Options) (*Session, error) {
	m, err := manifest.Parse(src.Name, src.Text)
	if err != nil {
		return nil, err
	}
	s, err := NewSession(m, opts)
	if err != nil {
		return nil, err
	}
	s.Inputs = append([]Input{src.input()}, s.Inputs...)
	return s, nil
}

// OpenBare makes one session for each kernel of a bare .ptx file (or the one
// that Options.Kernel names), launched as the flags say and assumed where they
// do not. Arguments that were given as files are the program's outputs. Kernels that cannot be launched so are reported together; the others
// are returned all the same.
func OpenBare(src Source, flags manifest.Flags, opts Options) ([]*Session, error) {
	mod, err := src.Module()
	if err != nil {
		return nil, err
	}
	kernels := mod.Kernels()
	if len(kernels) == 0 {
		return nil, fmt.Errorf("%s: no kernel (.entry) with a body", mod.File)
	}
	var out []*Session
	var errs []error
	for _, k := range kernels {
		if !opts.wantsKernel(k) {
			continue
		}
		s, err := openKernel(k, src, flags, opts)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out = append(out, s)
	}
	if len(out)+len(errs) == 0 {
		errs = append(errs, fmt.Errorf("%s: there is no kernel %s; there are %s", mod.File, opts.Kernel, kernelNames(kernels)))
	}
	return out, errors.Join(errs...)
}

// wantsKernel reports whether --kernel lets a kernel pass.
func (o *Options) wantsKernel(k *ir.Func) bool {
	return o.Kernel == "" || o.Kernel == k.Name || o.Kernel == Demangle(k.Name)
}

func openKernel(k *ir.Func, src Source, flags manifest.Flags, opts Options) (*Session, error) {
	m, assumed, err := manifest.Assume(DescribeKernel(k), flags)
	if err != nil {
		return nil, err
	}
	m.Name = src.Stem()
	for _, b := range m.Buffers {
		if !b.Elastic { // given as a file, so its size is known
			m.Outputs = append(m.Outputs, &manifest.Output{Path: b.Path, Name: b.Name, Buffer: b, Bytes: b.Bytes, Type: b.Type})
		}
	}
	data, err := dataInputs(m)
	if err != nil {
		return nil, err
	}
	s, err := newSession(m, map[*manifest.Module]*ir.Module{m.Modules[0]: k.Module}, opts)
	if err != nil {
		return nil, err
	}
	s.Assumed = assumed
	s.Inputs = append([]Input{src.input(), flagsInput(flags)}, data...)
	return s, nil
}

// kernelNames lists kernels for a message.
func kernelNames(ks []*ir.Func) string {
	names := make([]string, len(ks))
	for i, k := range ks {
		names[i] = k.Name
	}
	return list(names)
}

// list writes names for a message, at a bearable number.
func list(names []string) string {
	const most = 8
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// DescribeKernel describes a kernel to package manifest.
func DescribeKernel(k *ir.Func) manifest.Kernel {
	ps := Params(k)
	for i := range ps {
		ps[i].Pointer = ps[i].Pointer || reachesAddress(k, k.Params[i].Var)
	}
	return manifest.Kernel{
		Module: k.Module.File, Name: k.Name, Params: ps,
		ReqThreads: k.ReqNTID, MaxThreads: k.MaxNTID,
	}
}
