package calibrate

import (
	"fmt"
	"strings"
)

// stream is a part that goes through a buffer of %bytes, all threads together,
// and begins again at its end; a copy writes as much behind it. Each chain is
// an access of width bytes a turn, and the loads of all chains come before what
// needs them. The work is bytes.
func stream(name string, width, chains int) part {
	vector, value := "", "{x}a"
	fold := []string{"xor.b32 {P}acc, {P}acc, {x}a;"}
	if width == 16 {
		vector, value = ".v4", "{{x}a, {x}b, {x}c, {x}d}"
		fold = append(fold, "xor.b32 {P}acc, {P}acc, {x}b;", "xor.b32 {P}acc, {P}acc, {x}c;", "xor.b32 {P}acc, {P}acc, {x}d;")
	}
	load := fmt.Sprintf("ld.global%s.u32 %s, [{x}p];", vector, value)
	p := part{
		name: fmt.Sprintf("%s%d", name, width), chains: chains, each: float64(width),
		declare: []string{".reg .b32 {P}acc, {P}e, " + laneRegs(chains, 4) + ";", ".reg .b64 " + pointers(chains) + ", {P}end, {P}step, {P}w;", ".reg .pred {P}wrap;"},
		once:    []string{"mov.u32 {P}acc, 0;", "mov.u32 {P}e, {g};", "add.u64 {P}end, %data, %bytes;", fmt.Sprintf("mul.wide.u32 {P}step, %%threads, %d;", width*chains)},
		start: []string{
			fmt.Sprintf("mad.wide.u32 {x}p, {P}e, %d, %%data;", width), "add.u32 {P}e, {P}e, %threads;",
			"mad.lo.u32 {x}a, {P}e, 1640531527, 77;", "mad.lo.u32 {x}b, {x}a, 1664525, 1013904223;", "mad.lo.u32 {x}c, {x}b, 1664525, 1013904223;", "mad.lo.u32 {x}d, {x}c, 1664525, 1013904223;",
		},
		advance: []string{"add.u64 {x}p, {x}p, {P}step;", "setp.ge.u64 {P}wrap, {x}p, {P}end;", "sub.u64 {P}w, {x}p, %bytes;", "selp.b64 {x}p, {P}w, {x}p, {P}wrap;"},
		fold:    []string{"add.u32 {sink}, {sink}, {P}acc;", "xor.b32 {sink}, {sink}, {x}a;"},
	}
	switch name {
	case "read":
		p.rounds, p.work = [][]string{{load}, fold}, []string{"ld.global"}
	case "write":
		p.rounds, p.work = one(fmt.Sprintf("st.global%s.u32 [{x}p], %s;", vector, value)), []string{"st.global"}
	case "copy":
		p.declare = append(p.declare, ".reg .b64 {P}to;")
		p.rounds = [][]string{{load}, {"add.u64 {P}to, {x}p, %bytes;", fmt.Sprintf("st.global%s.u32 [{P}to], %s;", vector, value)}}
		p.work = []string{"ld.global", "st.global"}
	default:
		panic("BUG: no stream " + name)
	}
	return p
}

// pointers names a pointer for each chain.
func pointers(chains int) string {
	var list []string
	for i := range chains {
		list = append(list, fmt.Sprintf("{P}x%dp", i))
	}
	return strings.Join(list, ", ")
}
