package pipe

// Product is what of a matrix product decides at which rate tensor cores make it.
type Product struct {
	Factors MatrixType
	// Sum32: halves are added up in FP32. Sync: warps wait for it (mma.sync), where others go on (wgmma, tcgen05).
	Sum32, Sync bool
}

// NumProducts is how many there are, Number which one it is.
const NumProducts = 4 * int(NumMatrixTypes)

// Number tells a product from all others.
func (p Product) Number() int {
	n := 4 * int(p.Factors)
	if p.Sum32 {
		n++
	}
	if p.Sync {
		n += 2
	}
	return n
}

// Numbered returns the product of a number.
func Numbered(number int) Product {
	return Product{MatrixType(number / 4), number&1 != 0, number&2 != 0}
}
