package analysis

import (
	"slices"

	"hyptx/ir"
	"hyptx/ir/isa"
)

// What a kernel of a bare file needs of a launch, as far as its instructions tell:
// memory that somebody else defines or sizes, and the dimensions of a block.

// usesDynamicShared reports whether a kernel, or what it may call, names an
// .extern .shared variable (PTX ISA 5.4.2).
func usesDynamicShared(k *ir.Func) bool {
	for v := range externs(k) {
		if v.Space == isa.Shared {
			return true
		}
	}
	return false
}

// assumedExterns says what is assumed of the variables in global memory that a kernel
// names and that are defined nowhere: that they hold what nobody knows.
func assumedExterns(k *ir.Func) (assumed []string) {
	for v := range externs(k) {
		if v.Space == isa.Global {
			assumed = append(assumed, v.Name+"=buffer of unspecified contents")
		}
	}
	slices.Sort(assumed)
	return assumed
}

// externs returns the .extern variables that a kernel names, or what it may call.
func externs(k *ir.Func) map[*ir.Var]bool {
	found := map[*ir.Var]bool{}
	for _, f := range k.Closure() {
		for i := range f.Instrs() {
			addExterns(f.Instrs()[i].Ops(), found)
		}
	}
	return found
}

// staticShared is how many bytes of shared memory the module has for a kernel, at most.
func staticShared(k *ir.Func) (bytes int64) {
	add := func(vars []*ir.Var) {
		for _, v := range vars {
			if v.Space == isa.Shared && !v.Extern {
				bytes += v.Bytes + int64(v.Align)
			}
		}
	}
	add(k.Module.Vars)
	for _, f := range k.Closure() {
		add(f.Vars)
	}
	return bytes
}

// dimensions is how many components of %tid a kernel, or what it may call, reads by
// their names, up to the last.
func dimensions(k *ir.Func) (n int) {
	for _, f := range k.Closure() {
		for i := range f.Instrs() {
			for _, o := range f.Instrs()[i].Ops() {
				if o.Kind == ir.OperandSReg && o.SReg.Base() == isa.SRegTID {
					n = max(n, o.SReg.Axis()+1)
				}
			}
		}
	}
	return min(n, 3)
}

// addExterns looks into vectors, too: {a, b} are operands in an operand.
func addExterns(ops []ir.Operand, found map[*ir.Var]bool) {
	for i := range ops {
		if v := ops[i].Var; v != nil && v.Extern {
			found[v] = true
		}
		addExterns(ops[i].Elems(), found)
	}
}
