package emulator

import "hyptx/ir"

// DeclaredBytes returns the static shared memory of a CTA and the local memory
// of a thread that a kernel declares, in bytes. The kernel need not be one that
// can be executed.
func DeclaredBytes(kernel *ir.Func) (shared, local int64) {
	c := &compiler{mod: kernel.Module, prog: &Program{Module: kernel.Module, Kernel: kernel, sharedVar: map[*ir.Var]int64{}}}
	c.layoutShared(c.reachable(kernel))
	fn := &function{ir: kernel, local: map[*ir.Var]int64{}}
	c.layoutFunction(fn)
	return c.prog.sharedLen, fn.declared
}
