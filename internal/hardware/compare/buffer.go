package compare

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"hyptx/analysis"
	"hyptx/internal/manifest"
)

// Buffer is one output judged.
type Buffer struct {
	Name     string  `json:"name"`
	Type     string  `json:"type"`
	Elements int     `json:"elements"`
	Verdict  Verdict `json:"verdict"`
	// How many elements stand how; NaNPayloads are f64 NaNs with other bits,
	// which count as equal.
	Equal     int `json:"equal"`
	Within    int `json:"within"`
	Undecided int `json:"undecided"`
	// ByOrder are those of Undecided that may depend on the order of threads.
	ByOrder     int `json:"undecided_by_order"`
	Unbounded   int `json:"unbounded"`
	Differs     int `json:"differs"`
	NaNPayloads int `json:"nan_payloads"`
	// Exact: nothing of the program is open, so that only equal bits are right.
	// Spanned: the variations Up and Down are the extremes of all runs at each
	// element, and so its bound; that is as much as runs can show, no proof. Else
	// the runs' spread was widened by Factor.
	Exact   bool `json:"exact_bounds"`
	Spanned bool `json:"spanned_bounds"`
	// MaxULP and MaxAbs are the largest differences of floating-point elements
	// of any verdict, both finite.
	MaxULP uint64  `json:"max_ulp"`
	MaxAbs float64 `json:"max_abs"`
	// First is the first element that is neither equal nor within its bound,
	// Worst the one with the largest difference in ulp, or for integers the
	// first that differs; nil if there is none.
	First *Element `json:"first,omitempty"`
	Worst *Element `json:"worst,omitempty"`
}

// Element is one element that differs.
type Element struct {
	Index    int     `json:"index"`
	Verdict  Verdict `json:"verdict"`
	Emulator Number  `json:"emulator"`
	Other    Number  `json:"other"`
	ULP      uint64  `json:"ulp,omitempty"`
	// Low and High bound what is allowed, where there is such an interval.
	Low  *float64 `json:"low,omitempty"`
	High *float64 `json:"high,omitempty"`
}

// Number is an element's value: its bits and what they mean.
type Number struct {
	Hex   string `json:"hex"`
	Value string `json:"value"`
}

// number writes element i of an output.
func number(o analysis.Output, i int) Number {
	n := Number{Hex: fmt.Sprintf("0x%0*x", 2*o.Type.Size(), o.Bits(i))}
	if !o.Type.IsFloat() {
		n.Value = fmt.Sprint(o.Value(i))
		return n
	}
	bits := 32 // of f16 and bf16, too
	if o.Type == manifest.F64 {
		bits = 64
	}
	n.Value = strconv.FormatFloat(o.Float(i), 'g', -1, bits)
	return n
}

// judgeBuffer judges one output.
func judgeBuffer(v *values) Buffer {
	b := Buffer{Name: v.ours.Name, Type: v.ours.Type.String(), Elements: v.ours.Len(), Verdict: Equal}
	if bytes.Equal(v.ours.Data, v.theirs.Data) {
		b.Equal = b.Elements
		return b
	}
	v.look()
	b.Exact, b.Spanned = v.closed, v.spanned && v.moved
	var counts [numVerdicts]int
	for i := range b.Elements {
		verdict, low, high := v.judge(i)
		counts[verdict]++
		if verdict == Undecided && v.order != nil && v.order[i] {
			b.ByOrder++
		}
		b.Verdict = max(b.Verdict, verdict)
		if v.ours.Bits(i) == v.theirs.Bits(i) {
			continue
		}
		if verdict == Equal {
			b.NaNPayloads++
			continue
		}
		b.note(v, i, verdict, low, high)
	}
	b.Equal, b.Within, b.Undecided, b.Unbounded, b.Differs = counts[Equal], counts[Within], counts[Undecided], counts[Unbounded], counts[Differs]
	return b
}

// note keeps an element that is the first of its kind.
func (b *Buffer) note(v *values, i int, verdict Verdict, low, high float64) {
	ulp := uint64(0)
	if v.float {
		ulp = v.format.Distance(v.ours.Bits(i), v.theirs.Bits(i))
		if d := math.Abs(v.ours.Float(i) - v.theirs.Float(i)); finite(d) {
			b.MaxAbs = max(b.MaxAbs, d)
		}
	}
	first := verdict > Within && b.First == nil
	worst := b.Worst == nil || ulp > b.MaxULP
	b.MaxULP = max(b.MaxULP, ulp)
	if !first && !worst {
		return
	}
	e := &Element{Index: i, Verdict: verdict, Emulator: number(v.ours, i), Other: number(v.theirs, i), ULP: ulp}
	if finite(low) && finite(high) {
		e.Low, e.High = &low, &high
	}
	if first {
		b.First = e
	}
	if worst {
		b.Worst = e
	}
}
