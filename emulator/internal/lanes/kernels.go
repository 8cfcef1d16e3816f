package lanes

// There are two builds of the package: with vector instructions
// (GOEXPERIMENT=simd on amd64) and without. Which loops differ is data, not
// build tags all over the package: a struct of functions that the file for
// the machine overwrites when the program starts. A constructor asks the struct
// once, when a program is compiled, so that the choice costs the loops nothing;
// and all sets are there in one binary, so that a test can run each loop of one
// against its portable namesake on the same bits (simd_test.go).

// kernels are the loops that a machine's vector unit may replace: those that
// programs are full of. Constructors take them from use, not by name.
type kernels struct {
	addU32, subU32, mulU32, madU32                 Fn
	addU64, subU64, mulU64, madU64                 Fn
	mulWideU32, mulWideS32, madWideU32, madWideS32 Fn
	and32, or32, xor32, and64, or64, xor64         Fn
	shl32, shrU32, shrS32, shl64, shrU64           Fn
	minU32, minS32, maxU32, maxS32                 Fn
	addF32, subF32, mulF32, fmaF32, minF32, maxF32 Fn
	equal32, lessU32, lessS32, equal64             PredFn
	lessU64, lessS64                               PredFn
	equalF32, lessF32, lessEqualF32, orderedF32    PredFn
	low32, zeroExtend32, signExtend32, s32ToF32    Fn
	u32ToF32                                       Fn
	merge32, merge64                               MaskFn
}

// portable is the specification; use is what runs: portable, unless a file for
// the machine at hand installs its own loops (simd_amd64.go).
var (
	portable = kernels{
		addU32: add[uint32], subU32: sub[uint32], mulU32: mul[uint32], madU32: mad[uint32],
		addU64: add[uint64], subU64: sub[uint64], mulU64: mul[uint64], madU64: mad[uint64],
		mulWideU32: wholeProduct[uint64, uint32], mulWideS32: wholeProduct[int64, int32],
		madWideU32: wholeMad[uint64, uint32], madWideS32: wholeMad[int64, int32],
		and32: and[uint32], or32: or[uint32], xor32: xor[uint32], and64: and[uint64], or64: or[uint64], xor64: xor[uint64],
		shl32: shiftLeft[uint32], shrU32: shiftRight[uint32], shrS32: shiftRight[int32], shl64: shiftLeft[uint64], shrU64: shiftRight[uint64],
		minU32: lift2(least2[uint32]), minS32: lift2(least2[int32]), maxU32: lift2(most2[uint32]), maxS32: lift2(most2[int32]),
		addF32: addF32, subF32: subF32, mulF32: mulF32, fmaF32: fmaF32, minF32: minF32, maxF32: maxF32,
		equal32: equal[uint32], lessU32: less[uint32], lessS32: less[int32], equal64: equal[uint64],
		lessU64: less[uint64], lessS64: less[int64],
		equalF32: equal[float32], lessF32: less[float32], lessEqualF32: lessEqual[float32], orderedF32: ordered[float32],
		low32: convert32[uint32, uint64], zeroExtend32: zeroExtend32, signExtend32: signExtend32,
		s32ToF32: convert32[float32, int32], u32ToF32: convert32[float32, uint32],
		merge32: Commit32, merge64: Commit64,
	}
	use = portable
)

// sets are all loops that the machine at hand can run instead of the portable ones.
var sets []set

type set struct {
	name string
	kernels
}
