package adder

// gather returns bits w, 2w, ... of x side by side: what is carried into slices, or
// of operands shifted by one the bits that tell carries beforehand (peeking).
func gather(x uint64, w int) uint64 {
	switch w {
	case 2:
		return every2(x >> 2)
	case 4:
		return every4(x >> 4)
	case 16:
		return x>>16&1 | x>>31&2 | x>>46&4
	case 32:
		return x >> 32 & 1
	}
	return every8(x >> 8)
}

// passing returns the slices of w bits, side by side, in which all bits of x are set.
func passing(x uint64, w int) uint64 {
	for n := 1; n < w; n *= 2 {
		x &= x >> n
	}
	return gather(x<<w, w)
}

// every2 returns the even bits of x.
func every2(x uint64) uint64 {
	x &= 0x5555555555555555
	x = (x | x>>1) & 0x3333333333333333
	x = (x | x>>2) & 0x0f0f0f0f0f0f0f0f
	x = (x | x>>4) & 0x00ff00ff00ff00ff
	x = (x | x>>8) & 0x0000ffff0000ffff
	return (x | x>>16) & 0xffffffff
}

// every4 returns bits 0, 4, 8 ... of x.
func every4(x uint64) uint64 {
	x &= 0x1111111111111111
	x = (x | x>>3) & 0x0303030303030303
	x = (x | x>>6) & 0x000f000f000f000f
	x = (x | x>>12) & 0x000000ff000000ff
	return (x | x>>24) & 0xffff
}

// every8 returns bits 0, 8, 16 ... of x: the product puts bit 8k at 56+k, and no two
// at one place.
func every8(x uint64) uint64 { return x & 0x0101010101010101 * 0x0102040810204080 >> 56 }
