package emulator

import (
	"hyptx/emulator/internal/softfloat"
	"hyptx/ir/isa"
)

// warpReferences are the exchanges of a warp (PTX ISA 9.7.10.5, .6, 9.7.15.9 to
// .15), all of whose lanes are active. A mask that does not name all of them is
// not drawn: then the manual leaves the results open.
var warpReferences = map[isa.Op]warpReference{
	isa.OpShfl: func(x *isa.Inst, in [][]uint64, _ [][]byte) [][]outcome {
		return each(in, func(lane int) []outcome { return shuffled(x, in, lane) })
	},
	isa.OpVote: func(x *isa.Inst, in [][]uint64, _ [][]byte) [][]outcome {
		var votes uint64
		for lane := range in {
			votes |= in[lane][0] << lane
		}
		held := map[string]uint64{
			"all": truth(votes == 1<<32-1), "any": truth(votes != 0), "uni": truth(votes == 0 || votes == 1<<32-1), "ballot": votes,
		}[x.Sub.String()]
		return each(in, func(int) []outcome { return is(held) })
	},
	isa.OpMatch: func(x *isa.Inst, in [][]uint64, _ [][]byte) [][]outcome {
		return each(in, func(lane int) []outcome {
			var same uint64
			for other := range in {
				same |= truth(in[other][0] == in[lane][0]) << other
			}
			if x.Sub.String() == "any" {
				return is(same)
			}
			if same != 1<<32-1 {
				return []outcome{{bits: 0}, {bits: 0}}
			}
			return []outcome{{bits: same}, {bits: 1}}
		})
	},
	isa.OpRedux: reduced,
	isa.OpMma:   multiplied, isa.OpMmaSp: multipliedNarrow, isa.OpMmaSpOrdered: multipliedNarrow,
	isa.OpWmmaLoad: movedDealt, isa.OpWmmaStore: movedDealt, isa.OpWmmaMma: multipliedDealt,
	isa.OpBar: met, isa.OpBarrier: met,
	isa.OpMovmatrix: func(_ *isa.Inst, in [][]uint64, _ [][]byte) [][]outcome {
		return each(in, func(lane int) []outcome {
			low, high := inMatrix(in, 2*(lane%4), lane/4), inMatrix(in, 2*(lane%4)+1, lane/4)
			return is(low | high<<16)
		})
	},
	isa.OpLdmatrix: func(x *isa.Inst, in [][]uint64, mem [][]byte) [][]outcome {
		if _, _, ok := ofBytes(x); ok {
			return loadedBytes(x, in, mem)
		}
		return each(in, func(lane int) (out []outcome) {
			for n := range int(x.Vec) {
				var d uint64
				for k := range 2 {
					row, col := matrixPlace(x, lane, k)
					d |= wordAt(mem[8*n+row], col, 16) << (16 * k)
				}
				out = append(out, outcome{bits: d})
			}
			return out
		})
	},
	isa.OpStmatrix: func(x *isa.Inst, in [][]uint64, mem [][]byte) [][]outcome {
		if _, _, ok := ofBytes(x); ok {
			return storedBytes(x, in, mem)
		}
		for n := range int(x.Vec) {
			for lane := range in {
				for k := range 2 {
					row, col := matrixPlace(x, lane, k)
					putWord(mem[8*n+row], col, 16, low(in[lane][n]>>(16*k), 16))
				}
			}
		}
		return each(in, func(int) []outcome { return []outcome{} })
	},
	isa.OpElect: func(_ *isa.Inst, in [][]uint64, _ [][]byte) [][]outcome {
		leader := uint64(0) // any lane; the lowest one here
		return each(in, func(lane int) []outcome { return []outcome{{bits: leader}, {bits: truth(lane == 0)}} })
	},
	isa.OpActivemask: func(_ *isa.Inst, in [][]uint64, _ [][]byte) [][]outcome {
		return each(in, func(int) []outcome { return is(1<<32 - 1) })
	},
}

func each(in [][]uint64, f func(lane int) []outcome) (out [][]outcome) {
	for lane := range in {
		out = append(out, f(lane))
	}
	return out
}

// shuffled is shfl, after the pseudo-code of 9.7.10.5.
func shuffled(x *isa.Inst, in [][]uint64, lane int) []outcome {
	b, c := int(in[lane][1]&31), in[lane][2]
	segment := int(c >> 8 & 31)
	clamp := int(c & 31)
	maxLane := lane&segment | clamp&^segment
	minLane := lane & segment
	var from int
	var ok bool
	switch x.Sub.String() {
	case "up":
		from = lane - b
		ok = from >= maxLane
	case "down":
		from = lane + b
		ok = from <= maxLane
	case "bfly":
		from = lane ^ b
		ok = from <= maxLane
	case "idx":
		from = minLane | b&^segment
		ok = from <= maxLane
	}
	if !ok {
		from = lane
	}
	return []outcome{{bits: in[from][0]}, {bits: truth(ok)}}
}

// reduced is redux.sync.
func reduced(x *isa.Inst, in [][]uint64, _ [][]byte) [][]outcome {
	t := x.Type()
	total := in[0][0]
	f := softfloat.F32
	for _, lane := range in[1:] {
		v := lane[0]
		switch x.Sub.String() {
		case "add":
			total = low(total+v, 32)
		case "and":
			total &= v
		case "or":
			total |= v
		case "xor":
			total ^= v
		default:
			sign := 1
			if x.Sub.String() == "min" {
				sign = -1
			}
			if t == isa.F32 {
				continue
			}
			if number(t, v).Cmp(number(t, total)) == sign {
				total = v
			}
		}
	}
	if t == isa.F32 {
		return each(in, func(int) []outcome { return []outcome{result(&f, reducedFloat(x, in))} })
	}
	return each(in, func(int) []outcome { return is(total) })
}

// reducedFloat is the least or largest number; NaN where all are, or .NaN is
// written and any is.
func reducedFloat(x *isa.Inst, in [][]uint64) uint64 {
	f := softfloat.F32
	best, nans := softfloat.Invalid, 0
	for _, lane := range in {
		v := lane[0]
		if x.Has(isa.ModAbs) {
			v &^= f.SignBit()
		}
		if f.IsNaN(v) {
			nans++
			continue
		}
		sign := 1
		if x.Sub.String() == "min" {
			sign = -1
		}
		switch {
		case best == softfloat.Invalid:
			best = v
		case f.IsZero(best) && f.IsZero(v):
			if f.Negative(v) == (sign < 0) {
				best = v
			}
		case compareValues(&f, v, best) == sign:
			best = v
		}
	}
	if nans > 0 && x.Has(isa.ModNaN) {
		return softfloat.Invalid
	}
	return best
}

// met is the reduction of a barrier over its CTA, which is one warp here.
func met(x *isa.Inst, in [][]uint64, _ [][]byte) [][]outcome {
	votes := uint64(0)
	for _, lane := range in {
		votes += lane[len(lane)-1]
	}
	switch {
	case x.Bool == isa.AND:
		votes = truth(votes == 32)
	case x.Bool == isa.OR:
		votes = truth(votes != 0)
	}
	return each(in, func(int) []outcome { return is(votes) })
}

// matrixPlace is where element k of the two that a lane holds stands in an 8x8
// matrix (9.7.16.5.15): rows over groups of four lanes, with .trans columns.
func matrixPlace(x *isa.Inst, lane, k int) (row, col int) {
	if x.Has(isa.ModTrans) {
		return 2*(lane%4) + k, lane / 4
	}
	return lane / 4, 2*(lane%4) + k
}

// inMatrix is an element of the matrix that the first sources of a warp hold.
func inMatrix(in [][]uint64, row, col int) uint64 {
	return low(in[4*row+col/2][0]>>(16*(col%2)), 16)
}
