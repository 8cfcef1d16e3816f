package emulator

import (
	"strings"

	"hyptx/emulator/internal/mbarrier"
	"hyptx/internal/order"
	"hyptx/ir/isa"
)

// Copies with .mbarrier::report::validity look at what they copy, and report on their mbarrier
// where it has a pattern: of each 16 bytes of the source one element, or every byte (PTX ISA
// 9.7.10.28.1.3). Which element of the 16 bytes the manual does not say; here it is the first,
// and where others differ what depends on the report is undefined.

// reporting is the pattern, and how many bits an element has; every: all are looked at.
type reporting struct {
	bits    int
	pattern uint32
	every   bool
}

func reportingOf(x *isa.Inst) reporting {
	for _, m := range x.Mods {
		switch _, pattern, _ := strings.Cut(m.String(), "mbarrier::report::validity::"); pattern {
		case "per_16bytes::80000000":
			return reporting{bits: 32, pattern: 0x80000000}
		case "per_16bytes::8000":
			return reporting{bits: 16, pattern: 0x8000}
		case "per_16bytes::80":
			return reporting{bits: 8, pattern: 0x80}
		case "per_16bytes::8":
			return reporting{bits: 4, pattern: 8}
		case "per_element::ff":
			return reporting{bits: 8, pattern: 0xff, every: true}
		}
	}
	return reporting{}
}

// report is what a copy has found so far, and what that depends on.
type report struct {
	looked, found, open bool
	from                order.Lanes
}

// inspect looks at up to 16 bytes of the source.
func (a *asyncWork) inspect(r reporting, b []byte) {
	if r.bits == 0 {
		return
	}
	a.report.looked = true
	a.report.from = a.report.from.Or(a.value)
	with, elements := 0, len(b)*8/r.bits
	first := false
	for i := range elements {
		at := i * r.bits
		v := uint32(0)
		for k := (r.bits + 7) / 8; k > 0; k-- {
			v = v<<8 | uint32(b[at/8+k-1])
		}
		if v>>(at%8)&(1<<r.bits-1) == r.pattern {
			with++
			first = first || i == 0
		}
	}
	a.report.found = a.report.found || first || r.every && with > 0
	a.report.open = a.report.open || !r.every && with > 0 && with < elements
}

// reportOn puts what the copy has found into an object.
func (a *asyncWork) reportOn(b *mbarrier.Object) {
	if !a.report.looked {
		return
	}
	if !b.V1 {
		a.w.fail(a.in, 1<<a.lane, "a copy reports on an mbarrier that was not made with .layout::v1")
	}
	b.Report = b.Report || a.report.found
}

// reported adds to what is written what a report depends on.
func (a *asyncWork) reported() {
	if a.follow && a.report.looked {
		a.value = a.value.Or(a.report.from)
		if a.report.open {
			a.doubt()
		}
	}
}
