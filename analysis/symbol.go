package analysis

import (
	"fmt"

	"hyptx/emulator"
	"hyptx/internal/manifest"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// A manifest names variables and functions of its modules: `{"symbol": {"module":
// "m", "name": "bias"}}` is the address of a .global variable, a function's address
// is an argument of a kernel that calls indirectly. The manifest knows files and
// names alone; where a variable lies is decided when the emulator loads the module.
// The resolver stands between the two, so that package manifest needs no emulator.

// resolver gives the manifest the addresses of what stands in modules.
type resolver struct{ s *Session }

// variable finds a module-scope variable by its PTX name. Names are looked up one by
// one: a module has few variables, and a manifest names fewer.
func (r resolver) variable(m *manifest.Module, name string) (*ir.Module, *ir.Var, error) {
	mod := r.s.modules[m]
	for _, v := range mod.Vars {
		if v.Name == name {
			return mod, v, nil
		}
	}
	return nil, nil, fmt.Errorf("module %s has no variable %s", m.Name, name)
}

// Symbol returns where a variable lies in global memory and its size in bytes. A
// .const or .shared variable has no address that a kernel could be given.
func (r resolver) Symbol(m *manifest.Module, name string) (address uint64, bytes int64, err error) {
	mod, v, err := r.variable(m, name)
	if err != nil {
		return 0, 0, err
	}
	b := r.s.machine.Variable(mod, v)
	if b == nil {
		return 0, 0, fmt.Errorf("variable %s of module %s is not in global memory", name, m.Name)
	}
	return b.Base, b.Bytes, nil
}

// Function returns what the emulator takes for a function's address.
func (r resolver) Function(m *manifest.Module, name string) (uint64, error) {
	f := r.s.modules[m].Func(name)
	if f == nil {
		return 0, fmt.Errorf("module %s has no function %s", m.Name, name)
	}
	return emulator.FunctionAddress(f), nil
}

// writeSymbols gives module-scope variables the contents that the manifest
// names.
func (s *Session) writeSymbols() error {
	for _, sym := range s.Manifest.Symbols {
		if sym.Init == nil {
			if err := s.bindSymbol(sym); err != nil {
				return err
			}
			continue
		}
		if err := s.writeSymbol(sym.SymbolRef, sym.Init); err != nil {
			return err
		}
	}
	return nil
}

// writeSymbol writes an initial value into a variable. Constant memory
// is no buffer: kernels read it through an image of its own (PTX ISA 5.1.3), which
// is written before a launch and by nobody during one.
func (s *Session) writeSymbol(ref manifest.SymbolRef, init *manifest.Init) error {
	m := s.Manifest
	mod, v, err := resolver{s}.variable(ref.Module, ref.Name)
	if err != nil {
		return m.Errorf(ref.Path, "%w", err)
	}
	src, err := init.Source(symbolType(v.Type), v.Bytes-ref.Offset)
	if err != nil {
		return m.Errorf(ref.Path, "%w", err)
	}
	data := make([]byte, v.Bytes-ref.Offset)
	if err := src.Fill(data, 0); err != nil {
		return m.Errorf(ref.Path, "%w", err)
	}
	if b := s.machine.Variable(mod, v); b != nil {
		return b.Write(data, ref.Offset)
	}
	if v.Space != isa.Const {
		return m.Errorf(ref.Path, "variable %s is in %s memory and cannot be written", v.Name, v.Space.String()[1:])
	}
	return s.machine.WriteConst(mod, v, data, ref.Offset)
}

// symbolType is the manifest's name for a PTX type.
func symbolType(t isa.Type) manifest.Type {
	if mt, ok := manifest.ParseType(t.String()[1:]); ok {
		return mt
	}
	return manifest.B8
}
