package emulator

import (
	"strings"

	"hyptx/ir/isa"
)

// ldmatrix and stmatrix of bytes, by the numbers of CUTLASS' copy_traits_sm100.hpp: where
// in an image of the matrix the bits of a lane's row begin, and those of its registers.

// byteRow is where the 128 bits of row h of a matrix begin, byteAt where byte k of a
// lane's register does.
func byteRow(x *isa.Inst, h int) int {
	if strings.Contains(x.Opcode, "m16n16") {
		return 128*(h%2) + 1024*(h/2%2) + 256*(h/4)
	}
	return 128 * h
}

func byteAt(x *isa.Inst, lane, register, k int) int {
	if strings.Contains(x.Opcode, "m8n16") {
		return 32*lane + 8*k
	}
	return 256*(lane%4) + 8*(lane/4) + 128*(k%2) + 64*(k/2) + 1024*register
}

// ofBytes has the rows of a matrix and the registers of a lane.
func ofBytes(x *isa.Inst) (rows, registers int, ok bool) {
	switch {
	case strings.Contains(x.Opcode, "m16n16"):
		return 16, 2, true
	case strings.Contains(x.Opcode, "m8n16"), strings.Contains(x.Opcode, "m16n8."):
		return 8, 1, true
	}
	return 0, 0, false
}

func loadedBytes(x *isa.Inst, in [][]uint64, mem [][]byte) [][]outcome {
	rows, registers, _ := ofBytes(x)
	return each(in, func(lane int) (out []outcome) {
		for n := range int(x.Vec) {
			image := make([]byte, 16*rows)
			for h := range rows {
				row := mem[n*rows+h][:16]
				for i := range 16 {
					v := row[i]
					switch { // CUTLASS, fp4_shift_A: four bits become 0000ABCD
					case strings.Contains(x.Opcode, "b4x16"):
						v = row[i/2] >> (4 * (i % 2)) & 15
					case strings.Contains(x.Opcode, ".s4"):
						v = byte(int8(row[i/2]>>(4*(i%2))<<4) >> 4)
					case strings.Contains(x.Opcode, "b6x16"):
						three := uint32(row[i/4*3]) | uint32(row[i/4*3+1])<<8 | uint32(row[i/4*3+2])<<16
						v = byte(three >> (6 * (i % 4)) & 63)
					}
					image[byteRow(x, h)/8+i] = v
				}
			}
			for r := range registers {
				var d uint64
				for k := range 4 {
					d |= uint64(image[byteAt(x, lane, r, k)/8]) << (8 * k)
				}
				out = append(out, outcome{bits: d})
			}
		}
		return out
	})
}

func storedBytes(x *isa.Inst, in [][]uint64, mem [][]byte) [][]outcome {
	for n := range int(x.Vec) {
		image := make([]byte, 16*8)
		for lane := range in {
			for k := range 4 {
				image[byteAt(x, lane, 0, k)/8] = byte(in[lane][n] >> (8 * k))
			}
		}
		for h := range 8 {
			copy(mem[8*n+h], image[byteRow(x, h)/8:][:16])
		}
	}
	return each(in, func(int) []outcome { return []outcome{} })
}
