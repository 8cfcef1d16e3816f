package analysis

import "hyptx/ir/isa"

// addFlops adds the operations of one precision, n times.
func (f *Facts) addFlops(per isa.FlopKinds, n uint64, add, mul, fma, special Counter) {
	f.add(add, uint64(per.Add)*n)
	f.add(mul, uint64(per.Mul)*n)
	f.add(fma, uint64(per.FMA)*n)
	f.add(special, uint64(per.Special)*n)
}
