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
	words := suffixed("{x}", width/slotBytes)
	vector, value := "", words[0]
	if len(words) > 1 {
		vector, value = fmt.Sprintf(".v%d", len(words)), "{"+strings.Join(words, ", ")+"}"
	}
	load := fmt.Sprintf("ld.global%s.u32 %s, [{x}p];", vector, value)
	p := part{
		name: fmt.Sprintf("%s%d", name, width), chains: chains, each: float64(width),
		declare: []string{".reg .b32 {P}acc, {P}e, " + laneRegs(chains, len(words)) + ";", ".reg .b64 " + pointers(chains) + ", {P}end, {P}step, {P}w;", ".reg .pred {P}wrap;"},
		once:    []string{"mov.u32 {P}acc, 0;", "mov.u32 {P}e, {g};", "add.u64 {P}end, %data, %bytes;", fmt.Sprintf("mul.wide.u32 {P}step, %%threads, %d;", width*chains)},
		start:   []string{fmt.Sprintf("mad.wide.u32 {x}p, {P}e, %d, %%data;", width), "add.u32 {P}e, {P}e, %threads;"},
		advance: []string{"add.u64 {x}p, {x}p, {P}step;", "setp.ge.u64 {P}wrap, {x}p, {P}end;", "sub.u64 {P}w, {x}p, %bytes;", "selp.b64 {x}p, {P}w, {x}p, {P}wrap;"},
		fold:    []string{"add.u32 {sink}, {sink}, {P}acc;", "xor.b32 {sink}, {sink}, {x}a;"},
	}
	gather, last := []string{}, "{P}e"
	for _, w := range words { // random bits: each word follows from the one before
		p.start = append(p.start, fmt.Sprintf("mad.lo.u32 %s, %s, 1664525, 1013904223;", w, last))
		gather, last = append(gather, fmt.Sprintf("xor.b32 {P}acc, {P}acc, %s;", w)), w
	}
	switch name {
	case "read":
		p.rounds, p.work = [][]string{{load}, gather}, []string{"ld.global"}
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
