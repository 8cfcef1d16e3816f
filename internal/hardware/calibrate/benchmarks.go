package calibrate

// shape is a benchmark of the usual shape: 1024 threads an SM in four CTAs, which
// every GPU from Volta on can hold with 64 registers a thread.
func shape(name, mix, about string) Benchmark {
	return Benchmark{Name: name, Mix: mix, About: about, Block: 256, CTAsPerSM: 4}
}

func (b Benchmark) in(category string) Benchmark { b.Category = category; return b }
func (b Benchmark) ring(where place) Benchmark   { b.Ring = where; return b }
func (b Benchmark) stream() Benchmark            { b.Stream = true; return b }

// benchmarks, in the order in which they are listed. Those of AccelWattch
// (102 runs, ubench.cfg) have their like here by component; textures have not.
var benchmarks = []Benchmark{
	shape("idle", "", "no kernel: the board at rest, with a context"),
	{Name: "launch", About: "an empty kernel of a warp an SM: what a launch takes", Block: 32, CTAsPerSM: 1},
	shape("nanosleep", "nanosleep 64", "warps that sleep: light").in("LIGHT"),

	shape("int_add", "int_add 256", "32-bit integer additions").in("INT_ADD"),
	shape("int_logic", "int_logic 256", "32-bit exclusive or of three"),
	shape("int_mul", "int_mul 128", "64-bit integer products"),
	shape("int_mul24", "int_mul24 256", "24-bit integer products"),
	shape("int_mul32", "int_mul32 256", "32-bit integer products").in("INT_MUL"),
	shape("int_mad", "int_mad 256", "32-bit integer multiply-adds"),
	shape("int_div", "int_div 64", "32-bit integer quotients"),
	shape("fp_add", "fp_add 256", "32-bit floating-point differences"),
	shape("fp_mul", "fp_mul 256", "32-bit floating-point products"),
	shape("fp_fma", "fp_fma 256", "32-bit floating-point multiply-adds"),
	shape("fp_div", "fp_div 64", "32-bit floating-point quotients"),
	shape("dp_add", "dp_add 256", "64-bit floating-point differences"),
	shape("dp_mul", "dp_mul 256", "64-bit floating-point products"),
	shape("dp_fma", "dp_fma 256", "64-bit floating-point multiply-adds"),
	shape("dp_div", "dp_div 64", "64-bit floating-point quotients"),
	shape("sfu_ex2", "sfu_ex2 128", "powers of two, with negations"),
	shape("sfu_lg2", "sfu_lg2 128", "logarithms, with absolute values"),
	shape("sfu_ex2_lg2", "sfu_ex2_lg2 128", "powers of two and logarithms"),
	shape("sfu_sin", "sfu_sin 128", "sines and cosines"),
	shape("sfu_sqrt", "sfu_sqrt 128", "square roots and their reciprocals"),
	shape("sfu_rcp", "sfu_rcp 128", "reciprocals"),
	shape("register_file", "register_file 264", "multiply-adds of three registers"),
	shape("tensor", "tensor 64", "matrix products of halves in tensor cores"),
	shape("shared", "shared 128", "loads and stores of shared memory without conflicts"),
	shape("constant", "constant 128", "loads of constants, one address a warp"),
	shape("l1", "l1 128", "loads that hit in the L1").ring(inL1),
	shape("l2", "l2 128", "loads that hit in the L2").ring(inL2),
	shape("read16", "read16 8", "all of a large buffer read, 16 bytes a lane").stream(),
	shape("write16", "write16 4", "all of a large buffer written, 16 bytes a lane").stream(),
	shape("copy16", "copy16 8", "a large buffer copied, 16 bytes a lane").stream(),
	shape("read4", "read4 16", "all of a large buffer read, 4 bytes a lane").stream(),
	shape("write4", "write4 8", "all of a large buffer written, 4 bytes a lane").stream(),
	shape("copy4", "copy4 16", "a large buffer copied, 4 bytes a lane").stream(),
	shape("branch_lanes", "branch_lanes 16", "every second lane branches off"),
	shape("branch_half", "branch_half 16", "half of each warp branches off"),

	shape("int", "int_add 128, int_mul32 128", "integer additions and products").in("INT"),
	shape("int_fp", "int_add 64, int_mul32 64, fp_add 64, fp_fma 64", "integer and 32-bit floating point").in("INT+FP"),
	shape("int_fp_dp", "int_add 64, int_mul32 64, fp_fma 64, dp_fma 64", "integer, 32-bit and 64-bit floating point").in("INT+FP+DP"),
	shape("int_fp_sfu", "int_add 64, int_mul32 64, fp_fma 64, sfu_sqrt 32", "integer, floating point and special functions").in("INT+FP+SFU"),
	shape("int_fp_tensor", "int_add 64, int_mul32 64, fp_fma 64, tensor 16", "integer, floating point and tensor cores").in("INT+FP+TENSOR"),
	shape("add_mem", "int_add 64, copy16 8", "integer additions beside a copy").stream(),
	shape("mul_mem", "int_mul32 64, copy16 8", "integer products beside a copy").stream(),
	shape("fma_mem", "fp_fma 64, read16 8", "multiply-adds beside a read").stream(),
	shape("fma_l1", "fp_fma 64, l1 64", "multiply-adds beside L1 hits").ring(inL1),
	shape("fma_l2", "fp_fma 64, l2 32", "multiply-adds beside L2 hits").ring(inL2),
	shape("add_l2", "int_add 64, l2 32", "integer additions beside L2 hits").ring(inL2),
	shape("fma_shared", "fp_fma 64, shared 64", "multiply-adds beside shared memory"),
	shape("add_shared", "int_add 64, shared 64", "integer additions beside shared memory"),
	shape("shared_sfu", "shared 64, sfu_lg2 32", "shared memory and logarithms"),
	shape("shared_tensor", "shared 64, tensor 16", "shared memory and tensor cores"),
	shape("constant_fma", "constant 64, fp_fma 64", "constants and multiply-adds"),
	shape("constant_shared", "constant 64, shared 64", "constants and shared memory"),
	shape("div_mix", "int_div 16, fp_div 16, fp_fma 32", "quotients and multiply-adds"),
	shape("sfu_mix", "sfu_ex2 32, sfu_sin 32, sfu_sqrt 32, fp_mul 32", "special functions and products"),
	shape("dp_mix", "dp_add 64, dp_mul 64, int_add 64", "64-bit floating point and integer additions"),
	shape("sgemm_like", "fp_fma 128, shared 32, int_add 32", "the mix of a matrix product"),
	shape("stencil_like", "fp_add 96, int_mad 32, read4 16", "the mix of a stencil").stream(),
	shape("hash_like", "int_add 64, int_logic 96, int_mul24 32, shared 16", "the mix of a hash"),
}
