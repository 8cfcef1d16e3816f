package analysis

import (
	"path/filepath"
	"strings"

	"hyptx/depgraph"
	"hyptx/emulator"
	"hyptx/internal/machine"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// newExecuted returns what a CTA, or many, of a part executed, from its segments.
func newExecuted(of *part, counts []uint64) Facts {
	var f Facts
	f.know(blockExecuted)
	p := of.prog
	p.EachInstr(counts, func(c emulator.InstrCount) {
		in := &p.Module.Instrs[c.PC]
		if in.Inst.OpaqueTensor() {
			f.addDescribed(in, c, of.filter)
		}
		if f.addInstr(in, c); in.Inst.Form.Unseen && c.PredOn > 0 {
			f.see(in, filepath.Base(p.Module.FileOf(c.PC)))
		}
	})
	p.EachBranch(counts, func(c emulator.BranchCount) { f.addBranch(&p.Module.Instrs[c.PC], c) })
	f.add(DivergentBarriers, p.DivergentBarriers(counts))
	f.add(LibraryCalls, p.LibraryCalls(counts))
	return f
}

// addDescribed adds the operations of products of tcgen05, which each thread issues for itself,
// where their descriptor is a constant of the launch.
func (f *Facts) addDescribed(in *ir.Instr, c emulator.InstrCount, filter *depgraph.Filtered) {
	if c.PredOn == 0 {
		return
	}
	descriptor, known := filter.Descriptor(c.PC)
	f.OpaqueTensor = f.OpaqueTensor || !known
	float, integer, _ := describedOps(in.Inst, descriptor)
	f.add(FlopTensor, float*c.PredOn)
	f.add(OpTensorInt, integer*c.PredOn)
	f.addProducts(machine.ProductOf(in.Inst).Number(), float64((float+integer)/2*c.PredOn))
}

// describedOps returns the operations of a product of tcgen05 that one thread issues,
// 2*M*N*K as TensorOps, by its instruction descriptor (PTX ISA 9.7.18.4.2; K follows from
// the kind, table 39), and its products (InstrRow.Products). Those of a pair of CTAs are all of
// the pair's.
func describedOps(i *isa.Inst, descriptor uint32) (float, integer, products uint64) {
	n, m, k := uint64(descriptor>>17&0x3f)<<3, uint64(descriptor>>24&0x1f)<<4, uint64(32)
	kind := ""
	for _, mod := range i.Mods {
		if name, ok := strings.CutPrefix(mod.String(), "kind::"); ok {
			kind = name
		}
	}
	switch kind {
	case "f16":
		k = 16
	case "tf32":
		k = 8
	case "mxf4", "mxf4nvf4":
		if k = 64; descriptor>>31 != 0 {
			k = 96
		}
	}
	if strings.HasPrefix(kind, "mx") {
		m = uint64(descriptor>>27&3) << 7
	}
	if i.Op == isa.OpTcgen05MmaSp || i.Op == isa.OpTcgen05MmaWsSp {
		k *= 2
	}
	products = m * n / (16 * 8)
	if kind == "i8" {
		return 0, 2 * m * n * k, products
	}
	return 2 * m * n * k, 0, products
}
