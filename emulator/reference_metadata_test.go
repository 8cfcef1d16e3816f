package emulator

// What a product of tcgen05 has in tensor memory beside its matrices.

// metadataBits is where the first bit of a column of a row is among the metadata of 128 rows, of
// which each lane has 128 bits: the layouts of CUTLASS (TensorEAtom of sm1xx_sparse_config.inl,
// as strides), which the manual shows in figures 262 to 267.
func (c *productCase) metadataBits(row, k int) int {
	switch c.bits(c.a) {
	case 32: // ((8,2,8),(8,2)):((64,8,1024),(1,512)), two bits each
		return 2 * (row%8*64 + row/8%2*8 + row/16*1024 + k%8 + k/8*512)
	case 16: // ((8,2,8),(16,2)):((128,16,2048),(1,1024))
		return row%8*128 + row/8%2*16 + row/16*2048 + k%16 + k/16*1024
	case 4: // (128,256):(256,1), half a bit each
		return (row*256 + k) / 2
	}
	return row*128 + k
}

// fillMetadata draws which columns the elements of a sparse A belong to.
func (c *productCase) fillMetadata() {
	if !c.sparse {
		return
	}
	wide, stored := 4, 2
	switch c.bits(c.a) {
	case 32:
		wide, stored = 2, 1
	case 4:
		wide, stored = 8, 4
	}
	if c.bits(c.a) > 8 {
		c.selector = c.r.IntN(2)
	}
	for i := range c.m {
		for chunk := range c.k / stored {
			code := oneAmong(c.r, 0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b0110, 0b1110)
			if stored == 1 {
				code = oneAmong(c.r, 0b0100, 0b1110)
			}
			for which := range stored {
				at := code >> (2 * which) & 3
				switch stored {
				case 1:
					at = code >> 3
				case 4:
					at = code>>(2*(which/2))&3*2 + which%2
				}
				c.where[i][chunk*stored+which] = chunk*wide + at
			}
			bit := c.metadataBits(i%c.rows(), chunk*wide)
			for part := range c.parts() {
				lane, _ := c.place(i/c.rows()*c.rows()+bit/128, part*c.n/c.parts())
				w := c.cell(lane, c.metaAt+c.selector+bit%128/32)
				*w = *w&^(15<<(bit%32)) | uint32(code)<<(bit%32)
			}
		}
	}
}

// fillScales puts scales into all warps' lanes; where the columns are cut into parts, those of
// a part into the lanes of that part alone.
func (c *productCase) fillScales() {
	put := func(side, warp, of, n, at int) {
		for block := range c.vec {
			w, bit := c.cell(128*side+warp*32+at%32, c.sAt[of]+at/32), 8*(c.id[of]+block)
			*w = *w&^(0xff<<bit) | uint32(c.scales[of][n][block])<<bit
		}
	}
	for side := range c.sides() {
		for warp := range 4 {
			for row := range c.rows() {
				put(side, warp, 0, side*c.rows()+row, row)
			}
			width := c.n / c.parts()
			for j := range width {
				put(side, warp, 1, warp*c.parts()/4*width+j, j)
			}
		}
	}
}
