package analysis

import (
	"hyptx/internal/manifest"
	"hyptx/ir"
)

// Text returns the PTX of one of the manifest's modules as it was read.
func (s *Session) Text(m *manifest.Module) []byte { return s.texts[m] }

// Kernel returns the kernel that one of the manifest's launches means, nil for
// a launch of another manifest.
func (s *Session) Kernel(l *manifest.Launch) *ir.Func {
	if p := s.byLaunch[l]; p != nil {
		return p.kernel
	}
	return nil
}

// Variable returns the module-scope variable that a manifest names.
func (s *Session) Variable(ref manifest.SymbolRef) (*ir.Var, error) {
	_, v, err := resolver{s}.variable(ref.Module, ref.Name)
	return v, err
}

// VariableType is the manifest's name for the type of a variable's elements.
func VariableType(v *ir.Var) manifest.Type { return symbolType(v.Type) }
