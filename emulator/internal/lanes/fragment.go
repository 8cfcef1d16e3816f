package lanes

// fragments place the elements of an mma's matrices in the registers of a
// warp (PTX ISA 9.7.16.5.1 ff.). All shapes but the half-precision m8n8k4
// follow one rule. Call g = lane/4 the group and t = lane%4 the thread in it,
// and e the elements that a register holds:
//
//	A: a register holds e neighbours of a row, k = block*4e + t*e + j;
//	   registers go through rows g and g+8 first, then through the blocks
//	B: the same along k, of column g; registers go through the blocks
//	C, D: columns 2t and 2t+1 of row g, then those of row g+8
//
// For mma.m16n8k16 on f16 (e = 2) lane 5 is g = 1, t = 1: of A it holds columns 2
// and 3 of row 1, then of row 9, then columns 10 and 11 of both, in four
// registers; of B rows 2 and 3 of column 1, then rows 10 and 11.

// place is where an element lies: operand register, lane and bits.
type place struct {
	reg, lane, shift uint8
}

// fragmentA returns the places of A by row*k + column.
func fragmentA(m, k, e int) []place {
	out := make([]place, m*k)
	rows := m / 8
	for i := range m {
		for j := range k {
			block, t := j/(4*e), j/e%4
			out[i*k+j] = place{uint8(block*rows + i/8), uint8(i%8*4 + t), uint8(j % e * (32 / e))}
		}
	}
	return out
}

// fragmentB returns the places of B by row*8 + column: rows are k, columns n.
func fragmentB(k, e int) []place {
	out := make([]place, k*8)
	for i := range k {
		for j := range 8 {
			out[i*8+j] = place{uint8(i / (4 * e)), uint8(j*4 + i/e%4), uint8(i % e * (32 / e))}
		}
	}
	return out
}

// fragmentC returns the places of C and D by row*8 + column; e is 2 for packed
// halves and 1 for everything else.
func fragmentC(m, e int) []place {
	out := make([]place, m*8)
	for i := range m {
		for j := range 8 {
			n := i/8*2 + j%2 // c0 to c3
			out[i*8+j] = place{uint8(n / e), uint8(i%8*4 + j/2), uint8(n % e * 16)}
		}
	}
	return out
}

// The half-precision m8n8k4 is four products, one for each quad pair: product
// q has lanes 4q to 4q+3 and, 16 further, 4q+16 to 4q+19 (9.7.16.5.1).

// quadA returns the places of A, or of B with rows and columns exchanged: a
// lane holds a row of four if the matrix is stored along k.
func quadA(q int, alongK bool) []place {
	out := make([]place, 8*4)
	for i := range 8 {
		for j := range 4 {
			lane, n := i%4, j
			if !alongK {
				lane, n = j, i%4
			}
			out[i*4+j] = place{uint8(n / 2), uint8(4*q + lane + i/4*16), uint8(n % 2 * 16)}
		}
	}
	return out
}

// quadB returns the places of B by row*8 + column.
func quadB(q int, alongK bool) []place {
	t := quadA(q, alongK)
	out := make([]place, 4*8)
	for i := range 8 {
		for j := range 4 {
			out[j*8+i] = t[i*4+j]
		}
	}
	return out
}

// quadC returns the places of C and D of f16 or of f32.
func quadC(q int, half bool) []place {
	out := make([]place, 8*8)
	for lane := range 8 {
		for n := range 8 {
			at := uint8(4*q + lane%4 + lane/4*16)
			row, col := lane, n
			p := place{uint8(n / 2), at, uint8(n % 2 * 16)}
			if !half {
				row, col = lane&1+n&2+lane/4*4, n&4+lane&2+n&1
				p = place{uint8(n), at, 0}
			}
			out[row*8+col] = p
		}
	}
	return out
}
