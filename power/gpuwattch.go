package power

import (
	"fmt"

	"hyptx/internal/gpu"
)

// GPUWattch is what AccelWattch is held against (section 7.3 of the paper): McPAT's
// energies with the factors that were tuned to a Fermi, a GTX 480, charged on a Volta as
// they are. It knows no tensor cores, which get AccelWattch's energy, no idle SMs, and no
// static power by lanes: constant and static power are one number.

// gpuWattch is the variant of that baseline.
const gpuWattch Variant = "gpuwattch"

// gpuWattchConstantW is its constant and static power in W (section 7.3).
const gpuWattchConstantW = 10.45

// fermi is the column of energies.tsv with its factors.
const fermi = "gtx480"

// gpuWattchChip is a GV100 as it sees one.
func gpuWattchChip(g *gpu.GPU) (*Chip, error) {
	if g.Name != "gv100" {
		return nil, fmt.Errorf("%s: variant %s is what GPUWattch says of a GV100, and of no other GPU", g.Name, gpuWattch)
	}
	c := GV100(gpuWattch, Paper)
	c.Name, c.ConstantW, c.IdleSMW, c.Static = g.Label(), gpuWattchConstantW, 0, [numCategories]LanePower{}
	c.Basis, c.StaticBasis = "extrapolated", "none"
	return c, nil
}

// byGPUWattch returns a published sheet as GPUWattch would have it: each component's
// power by the ratio of both factors. Where several events cost energy in a component the
// sheet has their sum alone, and the ratio is that of the first, a hit or a read; so these
// sums are near what was published of GPUWattch, and not equal to it.
func (p *published) byGPUWattch(v Variant, title string) *published {
	var ratio watts
	for _, r := range energyRows() {
		if of := r.factors[string(v)]; ratio[r.component] == 0 && of > 0 {
			ratio[r.component] = r.factors[fermi] / of
		}
	}
	ratio[TensorP] = 1
	out := &published{File: p.File, Title: title}
	for _, k := range p.Kernels {
		w := watts{ConstP: gpuWattchConstantW}
		for c := range k.Watts {
			if Component(c).dynamic() {
				w[c] = k.Watts[c] * ratio[c]
			}
		}
		out.Kernels = append(out.Kernels, kernelPower{Kernel: k.Kernel, Watts: w, TotalW: w.total(), MeasuredW: k.MeasuredW})
	}
	return out
}
