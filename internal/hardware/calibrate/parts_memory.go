package calibrate

// memoryParts work on memories. Their addresses come from what was read before
// (rings of pointers) or go through all of a large buffer.
var memoryParts = []part{
	// Each thread moves its words around its own slots, a word of each bank a warp.
	{name: "shared", reg: "u32", chains: 8, low: 1, high: 1 << 30, work: []string{"ld.volatile.shared", "st.volatile.shared"}, each: 1,
		rounds:  [][]string{{"ld.volatile.shared.u32 {x}, [{P}slot+{off}];"}, {"st.volatile.shared.u32 [{P}slot+{next}], {x};"}},
		declare: []string{".shared .align 16 .b8 {P}memory[{ctas}];", ".reg .b32 {P}slot;"},
		once:    []string{"mov.u32 {P}slot, {P}memory;", "mad.lo.u32 {P}slot, {t}, 4, {P}slot;"},
		start:   []string{"st.volatile.shared.u32 [{P}slot+{off}], {x};"}},
	// One ring of pointers for the GPU: each warp reads 256 bytes of it a step.
	{name: "l1", chains: 4, rounds: one("ld.global.ca.u64 {x}, [{x}];"), work: []string{"ld.global"}, each: 1, declare: chase, once: []string{"mov.u32 {P}e, {t};"}, start: chaseShared, fold: registers["u64"].fold},
	{name: "l2", chains: 4, rounds: one("ld.global.cg.u64 {x}, [{x}];"), work: []string{"ld.global"}, each: 1, declare: chase, once: []string{"mov.u32 {P}e, {g};"}, start: chaseSpread, fold: registers["u64"].fold},
	// The table holds zeros, which the compiler cannot know: who launches the kernel
	// might write other numbers into a variable that is visible.
	{name: "constant", chains: 4, rounds: [][]string{{"ld.const.u64 {x}v, [{x}];", "add.u64 {x}, {x}, {x}v;"}}, work: []string{"ld.const"}, each: 1,
		declare: []string{".visible .const .align 8 .b64 {P}table[512];", ".reg .b64 {P}x<{chains}>, {P}x0v, {P}x1v, {P}x2v, {P}x3v, {P}t0, {P}t1;"},
		once:    []string{"mov.u64 {P}t0, {P}table;", "cvt.u64.u32 {P}t1, {z};", "add.u64 {P}t0, {P}t0, {P}t1;"},
		start:   []string{"mov.u64 {x}, {P}t0;", "add.u64 {P}t0, {P}t0, 512;"}, fold: registers["u64"].fold},
	stream("read", 4, 8), stream("write", 4, 8), stream("copy", 4, 8), stream("read", 16, 4), stream("write", 16, 4), stream("copy", 16, 4),
}

// chase declares chains of pointers; chaseShared starts all CTAs at the same
// entries, chaseSpread all over the ring, whose entries are %mask+1.
var (
	chase       = []string{".reg .b64 {P}x<{chains}>;", ".reg .b32 {P}e, {P}m;"}
	chaseShared = []string{"and.b32 {P}m, {P}e, %mask;", "mad.wide.u32 {x}, {P}m, 8, %data;", "add.u32 {P}e, {P}e, 256;"}
	chaseSpread = []string{"and.b32 {P}m, {P}e, %mask;", "mad.wide.u32 {x}, {P}m, 8, %data;", "add.u32 {P}e, {P}e, 4096;"}
)
