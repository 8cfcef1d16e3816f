package check

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Report is what is told of programs that were checked.
type Report struct {
	Version string `json:"hyptx_version"`
	Inputs  string `json:"inputs_sha256"`
	// Launches is how many were checked, Again how many of them ran under the race
	// detector; Suppressed how many findings a file of suppressions has left out.
	Launches   int        `json:"launches"`
	Again      int        `json:"launches_race_detector"`
	Suppressed int        `json:"suppressed"`
	Kernels    []Kernel   `json:"kernels"`
	Findings   []*Finding `json:"findings"`
	// Unchecked is what could not be checked, or not to its end: without it nothing found
	// would look as if all was well.
	Unchecked []Unchecked `json:"errors"`
}

// Remark reports whether a finding is worth a look and no fault: a race that gives the same
// value in either order, or one that is looked at again. Compute Sanitizer calls it informational (racecheck, WAW hazards of
// equal values).
func (f *Finding) Remark() bool { return f.Kind == BenignRace }

// Faults returns how many findings are more than remarks.
func (r *Report) Faults() (n int) {
	for _, f := range r.Findings {
		if !f.Remark() {
			n++
		}
	}
	return n
}

// WriteJSON writes the report as one document.
func (r *Report) WriteJSON(w io.Writer) error {
	if r.Findings == nil {
		r.Findings = []*Finding{}
	}
	if r.Unchecked == nil {
		r.Unchecked = []Unchecked{}
	}
	return encode(w, r)
}

func encode(w io.Writer, document any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(document)
}

// Text is the finding in a few lines, without colours and source.
func (f *Finding) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s: %s\n", f.At.At(), f.Kind.Title(), f.Why)
	fmt.Fprintf(&b, "%s: %s by %s, %s\n", f.At.place(), f.At.Text, f.At.Who(), f.Times())
	if o := f.Other; o != nil {
		fmt.Fprintf(&b, "%s: %s by %s\n", o.place(), o.Text, o.Who())
	}
	return b.String()
}

// Times says how often it was found: "once", "12 times".
func (f *Finding) Times() string {
	if f.Count == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", f.Count)
}

// place is where an access stands in the PTX.
func (a *Access) place() string { return fmt.Sprintf("%s:%d", a.File, a.Line) }
