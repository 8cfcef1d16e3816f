package manifest

import "slices"

// What is assumed of a bare file's launch is one guess among many, and a kernel that was
// written for another block tells so by a fault: a tile of 8 by 8 has no place for the
// threads of 16 by 16. Then others are tried. They stand here, from the likeliest to the
// one that fits nearly all, a single thread; what was given is never changed.

// Guess replaces what [Assume] assumes first; what is zero stays as it was.
type Guess struct {
	Block         [3]int
	DefaultScalar string
	// SharedBytes is what a block has, dynamic shared memory included.
	SharedBytes int64
}

// blocks are the blocks that are tried, by the number of dimensions that a kernel reads.
var blocks = [4][][3]int{
	1: {{128, 1, 1}, {64, 1, 1}, {32, 1, 1}, {16, 1, 1}, {8, 1, 1}, {1, 1, 1}},
	2: {{8, 8, 1}, {32, 8, 1}, {4, 4, 1}, {256, 1, 1}, {64, 1, 1}, {32, 1, 1}, {1, 1, 1}},
	3: {{4, 4, 4}, {16, 16, 1}, {8, 8, 1}, {8, 4, 2}, {2, 2, 2}, {256, 1, 1}, {32, 1, 1}, {1, 1, 1}},
}

// OtherBlocks are guesses at the block of a kernel that a launch of it faults with; none
// if the block was given, or is the kernel's own.
func OtherBlocks(k Kernel, f Flags, l *Launch) (others []Guess) {
	if !l.AssumedBlock {
		return nil
	}
	most := LimitsFor(0, false).BlockThreads
	if k.MaxThreads != [3]int{} {
		most = threads(fill(k.MaxThreads))
	}
	for _, b := range blocks[min(max(k.Dimensions, 1), 3)] {
		if b != l.Block && threads(b) <= most {
			others = append(others, Guess{Block: b})
		}
	}
	return others
}

// MoreShared are guesses at the dynamic shared memory of a kernel that leaves what it has:
// as much as a block can ask for. None if it was given, or there is none.
func MoreShared(k Kernel, f Flags) []Guess {
	if !k.DynamicShared || f.DynamicSharedBytes != 0 {
		return nil
	}
	return []Guess{{SharedBytes: LimitsFor(0, false).SharedBytes}}
}

func threads(block [3]int) int { return block[0] * block[1] * block[2] }

// SmallerScalars are guesses at the scalars of a kernel that a launch of it takes too long
// with: loops nested three deep run 2^30 rounds by 1024, and 2^15 by 32. None if nobody's
// scalar was assumed, or --default-scalar chose it.
func SmallerScalars(f Flags, l *Launch) []Guess {
	assumed := func(a Arg) bool { return a.Assumed && a.Kind == ArgValue }
	if f.DefaultScalar != "" || !slices.ContainsFunc(l.Args, assumed) {
		return nil
	}
	return []Guess{{DefaultScalar: "32"}, {DefaultScalar: "1"}}
}
