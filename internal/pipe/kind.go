// Package pipe names the kinds of machine instructions (SASS) as the units of an
// SM tell them apart: what has one initiation interval and one latency is one kind.
//
// A GPU's description says of each kind which unit takes it, how often and for how
// long (package gpu); the estimate of machine code says which kinds a kernel consists
// of (package machine); the timing simulator brings the two together (package sim).
package pipe

// Kind is a kind of machine instructions.
type Kind uint8

// The kinds, with examples by the names of CUDA Binary Utilities.
const (
	FP32         Kind = iota // FADD, FMUL, FFMA
	FP64                     // DADD, DMUL, DFMA, DSETP
	FP16                     // HADD2, HMUL2, HFMA2
	IntAdd                   // IADD3, LOP3, LEA
	IntShift                 // SHF, SHL, SHR, PRMT
	IntMul                   // IMAD; XMAD on Maxwell and Pascal
	IntMulWide               // IMAD.WIDE, IMAD.HI
	Compare                  // ISETP, FSETP, IMNMX, FMNMX
	Move                     // MOV, SEL, FSEL, CS2R, PLOP3
	Special                  // MUFU
	Convert                  // F2I, I2F, F2F between at most 32 bits, POPC, FLO, BREV
	Convert64                // F2F, F2I, I2F from or to 64 bits
	ReadSpecial              // S2R
	Uniform                  // what the uniform datapath does: UIADD3, UMOV, ULDC
	LoadGlobal               // LDG, generic LD
	StoreGlobal              // STG, generic ST
	LoadLocal                // LDL
	StoreLocal               // STL
	LoadShared               // LDS
	StoreShared              // STS
	LoadMatrix               // LDSM
	LoadConst                // LDC, at an address that is not known
	CopyAsync                // LDGSTS
	Atomic                   // ATOM, ATOMG: a result comes back
	Reduction                // RED
	AtomicShared             // ATOMS
	Texture                  // TEX, TLD, SULD, SUST
	Shuffle                  // SHFL
	Vote                     // VOTE, MATCH, REDUX
	Matrix                   // HMMA, IMMA, DMMA: the interval goes with the shape and type
	Branch                   // BRA, BRX, EXIT, CALL, RET, BSSY, BSYNC, WARPSYNC
	Barrier                  // BAR
	Fence                    // MEMBAR, DEPBAR, CCTL
	NumKinds
)

var names = [NumKinds]string{
	"fp32", "fp64", "fp16", "int_add", "int_shift", "int_mul", "int_mul_wide", "compare", "move", "special",
	"convert", "convert64", "read_special", "uniform", "load_global", "store_global", "load_local", "store_local",
	"load_shared", "store_shared", "load_matrix", "load_const", "copy_async", "atomic", "reduction", "atomic_shared",
	"texture", "shuffle", "vote", "matrix", "branch", "barrier", "fence",
}

// String returns the kind as files of GPUs spell it.
func (k Kind) String() string { return names[k] }

// Memory reports whether instructions of the kind go to the memory system: the
// emulator says of each what it accesses.
func (k Kind) Memory() bool { return k >= LoadGlobal && k <= Texture }

// Flows reports whether instructions of the kind are control flow: branches, barriers,
// fences.
func (k Kind) Flows() bool { return k >= Branch && k <= Fence }

// MatrixType is the type of a matrix instruction's factors, by which the rates of
// tensor cores differ.
type MatrixType uint8

// The types of a matrix instruction's factors.
const (
	MatrixFP16 MatrixType = iota
	MatrixBF16
	MatrixTF32
	MatrixFP64
	MatrixInt8
	MatrixInt4
	MatrixFP8
	MatrixBinary
	NumMatrixTypes
)

var matrixNames = [NumMatrixTypes]string{"fp16", "bf16", "tf32", "fp64", "int8", "int4", "fp8", "binary"}

// String returns the type as files of GPUs spell it.
func (t MatrixType) String() string { return matrixNames[t] }
