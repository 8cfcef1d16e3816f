package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hyptx/internal/hardware/compare"
)

// What a person reads of a comparison: a line an output with how far it is off
// and by which right, then what the manual leaves open in this program, then one
// verdict. Everything is in the document of --json, too.
//
//	net: gpu.json against the emulator
//	  y  f32  8  within its bounds: 1 differ, at most 2 ulp, 1.91e-06 absolute, most [3]: ...
//	  n  u32  8  equal
//	  the PTX manual leaves open:
//	    ex2.approx.f32  2 ulp  PTX ISA 9.7.3.21
//	verdict: equal within the documented bounds
//
// A line says how far off an output is at its worst, and shows one element in bits
// and as a number: the first that is wrong, or if none is, the one that is off most.

// other names what the emulator was compared with.
func (r *compareResult) other() string {
	var gpu struct{ Name string }
	_ = json.Unmarshal(r.Device, &gpu) // no name, no harm
	switch {
	case gpu.Name == "":
		return r.Against
	case r.Against == "cuda":
		return gpu.Name
	}
	return r.Against + " (" + gpu.Name + ")"
}

// failure says why the exit code is not 0.
func (r *compareResult) failure() string {
	if r.Verdict == compare.Differs {
		return "the emulator and " + r.other() + " differ"
	}
	return "whether the emulator and " + r.other() + " agree is not decided"
}

// printComparison writes a line an output, then the verdict.
func (a *app) printComparison(r *compareResult) {
	a.sayFolded("%s: %s against the emulator", r.Network, r.other())
	if r.Launches != nil {
		a.printLaunches(r)
	} else {
		a.printBuffers(r.Outputs, "  ")
	}
	for _, run := range r.Runs {
		if run.Error != "" {
			a.sayFolded("  the variation %q is not part of the tolerance, it ended with an error: %s", run.Name, run.Error)
		}
	}
	if len(r.Open) > 0 && len(r.Runs) > 0 {
		a.printOpen(r.Open)
	}
	a.sayFolded("verdict: %s", verdictLine(r))
}

// sayFolded prints a line, folded below its own indent if it is long.
func (a *app) sayFolded(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	indent := text[:len(text)-len(strings.TrimLeft(text, " "))]
	a.say("%s", strings.Join(hanging(indent, text, a.columns()), "\n"))
}

// printBuffers prints a line an output.
func (a *app) printBuffers(list []compare.Buffer, indent string) {
	t := sheet{indent: indent}
	for i := range list {
		b := &list[i]
		t.add(b.Name, b.Type, strconv.Itoa(b.Elements), bufferLine(b))
	}
	t.print(a.text, a.columns())
}

// bufferLine says how one output stands. Elements are of four kinds: equal, within
// a documented bound, beyond it, and those for which there is no bound (undecided,
// unbounded); a line tells how many there are of each but the first.
func bufferLine(b *compare.Buffer) string {
	note := ""
	if b.NaNPayloads > 0 {
		note = fmt.Sprintf(" (%d NaNs with another payload)", b.NaNPayloads)
	}
	switch {
	case b.Verdict == compare.Equal:
		return "equal" + note
	case b.Verdict == compare.Within:
		return fmt.Sprintf("within its bounds: %d differ%s, most %s%s", b.Within, distance(b), elementText(b.Worst), note)
	}
	text := fmt.Sprintf("DIFFERS: %d of %d", b.Differs, b.Elements)
	if b.Differs == 0 {
		text = "NOT DECIDED:"
	}
	if b.Undecided > 0 {
		text += fmt.Sprintf(" %d undecided", b.Undecided)
		if b.ByOrder > 0 {
			text += fmt.Sprintf(" (%d may depend on the order of threads)", b.ByOrder)
		}
	}
	if b.Unbounded > 0 {
		text += fmt.Sprintf(" %d without a documented bound", b.Unbounded)
	}
	if b.Undecided > b.ByOrder && slices.Contains([]string{"b8", "b16", "b32", "b64"}, b.Type) {
		note += `; if it holds floating-point numbers, say so as its "type" in the manifest`
	}
	return fmt.Sprintf("%s%s, first %s%s", text, distance(b), elementText(b.First), note)
}

// distance says how far an output is off at most.
func distance(b *compare.Buffer) string {
	if b.MaxULP == 0 {
		return ""
	}
	return fmt.Sprintf(", at most %d ulp, %.3g absolute", b.MaxULP, b.MaxAbs)
}

// elementText writes an element with both values, in bits and as numbers.
func elementText(e *compare.Element) string {
	text := fmt.Sprintf("[%d]: %s %s, emulator %s %s", e.Index, e.Other.Hex, e.Other.Value, e.Emulator.Hex, e.Emulator.Value)
	if e.Low != nil && *e.Low < *e.High {
		text += fmt.Sprintf(", allowed %.9g to %.9g", *e.Low, *e.High)
	}
	return text
}

// printOpen lists what made tolerances necessary.
func (a *app) printOpen(list []compare.Open) {
	a.sayFolded("  the PTX manual leaves open:")
	t := sheet{indent: "    "}
	for _, o := range list {
		t.add(o.Opcode, o.Bound, "PTX ISA "+o.Section)
	}
	t.print(a.text, a.columns())
}

// verdictLine is the last line. "Not decided" is no polite word for a difference: it
// stands where the bits differ and the manual gives no bound to hold them against,
// or where another order of threads could have made them.
func verdictLine(r *compareResult) string {
	byOrder := slices.ContainsFunc(r.Outputs, func(b compare.Buffer) bool { return b.ByOrder > 0 })
	switch r.Verdict {
	case compare.Equal:
		return "equal in every bit"
	case compare.Within:
		return "equal within the documented bounds"
	case compare.Undecided:
		if byOrder {
			return "not decided: what differs may depend on the order of threads, which the PTX manual leaves open"
		}
		return "not decided: differs where the variations flip, too, but gave other values"
	case compare.Unbounded:
		return "not decided: differs in what depends on results without a documented bound"
	}
	return "DIFFERS"
}
