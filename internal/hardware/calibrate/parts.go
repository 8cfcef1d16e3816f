package calibrate

// one is a step of one instruction.
func one(text string) [][]string { return [][]string{{text}} }

// parts are the kinds of arithmetic and of waiting. Values stay in their ranges
// and keep changing: x = x + y, y = y + x runs through all whole numbers,
// x = y - x and its partner through six values, x = x x + p with p = -1.8 is
// chaotic, and x = p / x goes to and fro. What a chain computes twice over
// (x + p + p) a compiler might join to one instruction; what two chains use it
// cannot. Two exclusive ors of two could still become one of three: int_logic has
// three.
var parts = partsByName([]part{
	{name: "int_add", reg: "u32", chains: 8, low: 1, high: 1 << 30, rounds: one("add.u32 {x}, {x}, {y};"), work: []string{"add.u32"}, each: 1},
	{name: "int_logic", reg: "u32", chains: 8, low: 1, high: 1 << 30, rounds: one("lop3.b32 {x}, {x}, {n}, {m}, 0x96;"), work: []string{"lop3.b32"}, each: 1},
	{name: "int_mul", reg: "u64", chains: 4, low: 1, high: 1 << 38, rounds: one("mul.lo.u64 {x}, {x}, {y};"), work: []string{"mul.lo.u64"}, each: 1},
	{name: "int_mul24", reg: "u32", chains: 8, low: 1, high: 1 << 23, rounds: one("mul24.lo.u32 {x}, {x}, {y};"), work: []string{"mul24.lo.u32"}, each: 1},
	{name: "int_mul32", reg: "u32", chains: 8, low: 1, high: 1 << 30, rounds: one("mul.lo.u32 {x}, {x}, {y};"), work: []string{"mul.lo.u32"}, each: 1},
	{name: "int_mad", reg: "u32", chains: 8, low: 1, high: 1 << 30, p: 12345, rounds: one("mad.lo.u32 {x}, {x}, {y}, {p};"), work: []string{"mad.lo.u32"}, each: 2},
	{name: "int_div", reg: "u32", chains: 8, low: 1001, high: 4001, p: 1 << 23, rounds: one("div.u32 {x}, {p}, {x};"), work: []string{"div.u32"}, each: 1},

	{name: "fp_add", reg: "f32", chains: 8, low: 1, high: 3, rounds: one("sub.rn.f32 {x}, {y}, {x};"), work: []string{"sub.rn.f32"}, each: 1},
	{name: "fp_mul", reg: "f32", chains: 8, low: 1, high: 2, p: 1.5, q: 2. / 3, rounds: [][]string{{"mul.rn.f32 {x}, {x}, {p};"}, {"mul.rn.f32 {x}, {x}, {q};"}}, work: []string{"mul.rn.f32"}, each: 1},
	{name: "fp_fma", reg: "f32", chains: 8, low: -1, high: 1, p: -1.8, rounds: one("fma.rn.f32 {x}, {x}, {x}, {p};"), work: []string{"fma.rn.f32"}, each: 2},
	{name: "fp_div", reg: "f32", chains: 8, low: 1, high: 2, p: 3, rounds: one("div.rn.f32 {x}, {p}, {x};"), work: []string{"div.rn.f32"}, each: 1},
	{name: "dp_add", reg: "f64", chains: 8, low: 1, high: 3, rounds: one("sub.rn.f64 {x}, {y}, {x};"), work: []string{"sub.rn.f64"}, each: 1},
	{name: "dp_mul", reg: "f64", chains: 8, low: 1, high: 2, p: 1.5, q: 2. / 3, rounds: [][]string{{"mul.rn.f64 {x}, {x}, {p};"}, {"mul.rn.f64 {x}, {x}, {q};"}}, work: []string{"mul.rn.f64"}, each: 1},
	{name: "dp_fma", reg: "f64", chains: 8, low: -1, high: 1, p: -1.8, rounds: one("fma.rn.f64 {x}, {x}, {x}, {p};"), work: []string{"fma.rn.f64"}, each: 2},
	{name: "dp_div", reg: "f64", chains: 8, low: 1, high: 2, p: 3, rounds: one("div.rn.f64 {x}, {p}, {x};"), work: []string{"div.rn.f64"}, each: 1},

	// ex2(x) alone grows without bound and lg2(x) becomes negative: the negation
	// and the absolute value, which the machine has as modifiers, prevent it.
	{name: "sfu_ex2", reg: "f32", chains: 8, low: -2, high: 2, rounds: [][]string{{"neg.f32 {x}, {x};", "ex2.approx.ftz.f32 {x}, {x};"}}, work: []string{"ex2.approx"}, each: 1},
	{name: "sfu_lg2", reg: "f32", chains: 8, low: .2, high: .9, rounds: [][]string{{"abs.f32 {x}, {x};", "lg2.approx.ftz.f32 {x}, {x};"}}, work: []string{"lg2.approx"}, each: 1},
	{name: "sfu_ex2_lg2", reg: "f32", chains: 8, low: .1, high: .9, rounds: [][]string{{"ex2.approx.ftz.f32 {x}, {x};"}, {"lg2.approx.ftz.f32 {x}, {x};"}}, work: []string{"ex2.approx", "lg2.approx"}, each: 1},
	{name: "sfu_sin", reg: "f32", chains: 8, low: .5, high: 1.5, rounds: [][]string{{"sin.approx.ftz.f32 {x}, {x};"}, {"cos.approx.ftz.f32 {x}, {x};"}}, work: []string{"sin.approx", "cos.approx"}, each: 1},
	{name: "sfu_sqrt", reg: "f32", chains: 8, low: .5, high: 1e6, rounds: [][]string{{"sqrt.approx.ftz.f32 {x}, {x};"}, {"rsqrt.approx.ftz.f32 {x}, {x};"}}, work: []string{"sqrt.approx", "rsqrt.approx"}, each: 1},
	{name: "sfu_rcp", reg: "f32", chains: 8, low: .5, high: 1e3, rounds: one("rcp.approx.ftz.f32 {x}, {x};"), work: []string{"rcp.approx"}, each: 1},

	// Three registers of different banks a multiply-add; -1 keeps x from settling.
	{name: "register_file", reg: "f32", chains: 12, low: 1, high: 2, p: -1, q: 5, rounds: one("fma.rn.f32 {x}, {x}, {p}, {q};"), work: []string{"fma.rn.f32"}, each: 2},

	{name: "nanosleep", rounds: one("nanosleep.u32 1000;"), work: []string{"nanosleep"}, each: 1},
	tensor("tensor_f16", "m16n8k16", 80, 4, 4, 2, 16*8*16),
	tensor("tensor_f16_k8", "m16n8k8", 75, 4, 2, 1, 16*8*8),
	tensor("tensor_f16_k4", "m8n8k4", 70, 8, 2, 2, 4*8*8*4), // four products a warp
}, memoryParts, branchParts)

// partsByName makes the map of all parts.
func partsByName(lists ...[]part) map[string]*part {
	out := map[string]*part{}
	for _, list := range lists {
		for i := range list {
			out[list[i].name] = &list[i]
		}
	}
	return out
}
