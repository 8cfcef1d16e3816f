package check

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
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
	Kernels    []string   `json:"kernels"`
	Findings   []*Finding `json:"findings"`
}

// Remark reports whether a finding is worth a look and no fault: a race that gives the same
// value in either order. Compute Sanitizer calls it informational (racecheck, WAW hazards of
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
	return encode(w, r)
}

func encode(w io.Writer, document any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(document)
}

// SARIF is the Static Analysis Results Interchange Format, version 2.1.0 (OASIS standard of
// 27 March 2020), in which CI services take findings. Section numbers are the standard's.
const sarifSchema = "https://json.schemastore.org/sarif-2.1.0.json"

type object = map[string]any

// WriteSARIF writes the report for CI: a run with a rule for each kind that was found, and
// a result for each finding, at its line of the source, or of the PTX where there is none.
func (r *Report) WriteSARIF(w io.Writer) error {
	rules, results := []object{}, []object{}
	var kinds []Kind
	for _, f := range r.Findings {
		at := slices.Index(kinds, f.Kind)
		if at < 0 {
			at, kinds = len(kinds), append(kinds, f.Kind)
			rules = append(rules, object{
				"id": string(f.Kind), "name": string(f.Kind), "shortDescription": object{"text": f.Kind.Title()},
				"defaultConfiguration": object{"level": f.level()}, "properties": object{"group": string(f.Group())},
			})
		}
		results = append(results, f.sarif(at))
	}
	driver := object{"name": "hyptx check", "version": r.Version, "rules": rules}
	return encode(w, object{
		"$schema": sarifSchema, "version": "2.1.0",
		"runs": []object{{"tool": object{"driver": driver}, "results": results, "columnKind": "utf16CodeUnits"}},
	})
}

// level is the finding's in SARIF (3.27.10).
func (f *Finding) level() string {
	if f.Remark() {
		return "note"
	}
	return "error"
}

func (f *Finding) sarif(rule int) object {
	text := fmt.Sprintf("kernel %s: %s: %s (%s, %d times)", f.Kernel, f.Kind.Title(), f.Why, f.At.Who(), f.Count)
	related := []object{}
	if f.At.Source.Line > 0 {
		related = append(related, f.At.related(0, "this in the PTX: "+f.At.Text, true))
	}
	if o := f.Other; o != nil {
		related = append(related, o.related(len(related), fmt.Sprintf("the %s by %s", o.Does, o.Who()), false))
		if o.Source.Line > 0 {
			related = append(related, o.related(len(related), "the other in the PTX: "+o.Text, true))
		}
	}
	return object{
		"ruleId": string(f.Kind), "ruleIndex": rule, "level": f.level(), "message": object{"text": text},
		"locations":           []object{{"physicalLocation": f.At.physical(false)}},
		"relatedLocations":    related,
		"partialFingerprints": object{"hyptx/v1": f.fingerprint()},
		"properties":          object{"kernel": f.Kernel, "launch": f.Launch, "count": f.Count, "object": f.Object, "space": f.Space},
	}
}

// fingerprint is what stays of a finding while lines move (3.27.17).
func (f *Finding) fingerprint() string {
	text := fmt.Sprintf("%s %s %s", f.Kind, f.Kernel, f.At.Text)
	if f.Other != nil {
		text += " / " + f.Other.Text
	}
	return text
}

// related is a location that the message is about as well (3.27.22).
func (a *Access) related(id int, text string, ptx bool) object {
	return object{"id": id, "message": object{"text": text}, "physicalLocation": a.physical(ptx)}
}

// physical is a place in a file (3.29): the source's, or the PTX's if it is asked for or
// all there is.
func (a *Access) physical(ptx bool) object {
	file, region := a.Source.File, object{"startLine": a.Source.Line}
	if a.Source.Line <= 0 || ptx {
		file, region = a.File, object{"startLine": max(a.Line, 1), "startColumn": max(a.Col, 1), "snippet": object{"text": a.Text}}
	}
	return object{"artifactLocation": object{"uri": uriOf(file)}, "region": region}
}

// uriOf is a file's name as a URI: relative as it is, or absolute.
func uriOf(file string) string {
	u := url.URL{Path: filepath.ToSlash(file)}
	if strings.HasPrefix(u.Path, "/") {
		u.Scheme = "file"
	} else if u.Path != "" {
		u.Path = strings.TrimPrefix(u.Path, "./")
	}
	return u.String()
}

// JUnit's format is what Ant's task writes and CI services read; there is no standard, but
// testsuites, testsuite, testcase and failure are in all dialects.
type junitSuites struct {
	XMLName  xml.Name   `xml:"testsuites"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Suite    junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	File    string        `xml:"file,attr,omitempty"`
	Line    int           `xml:"line,attr,omitempty"`
	Failure *junitFailure `xml:"failure"`
	Out     string        `xml:"system-out,omitempty"`
}

type junitFailure struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// WriteJUnit writes the report as test cases: one for each finding, which fails unless it is
// a remark, and one for each kernel in which nothing was found.
func (r *Report) WriteJUnit(w io.Writer) error {
	s := junitSuite{Name: "hyptx check"}
	for _, f := range r.Findings {
		c := junitCase{Class: f.Kernel, Name: fmt.Sprintf("%s at %s", f.Kind, f.At.At()), File: f.At.File, Line: f.At.Line}
		if f.At.Source.Line > 0 {
			c.File, c.Line = f.At.Source.File, f.At.Source.Line
		}
		if f.Remark() {
			c.Out = f.Text()
		} else {
			s.Failures++
			c.Failure = &junitFailure{Type: string(f.Kind), Message: f.Why, Text: f.Text()}
		}
		s.Cases = append(s.Cases, c)
	}
	for _, k := range r.Kernels {
		if !slices.ContainsFunc(r.Findings, func(f *Finding) bool { return f.Kernel == k }) {
			s.Cases = append(s.Cases, junitCase{Class: k, Name: "check"})
		}
	}
	s.Tests = len(s.Cases)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", " ")
	if err := e.Encode(junitSuites{Tests: s.Tests, Failures: s.Failures, Suite: s}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// Text is the finding in a few lines, without colours and source.
func (f *Finding) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s: %s\n", f.At.At(), f.Kind.Title(), f.Why)
	fmt.Fprintf(&b, "%s: %s by %s, %d times\n", f.At.place(), f.At.Text, f.At.Who(), f.Count)
	if o := f.Other; o != nil {
		fmt.Fprintf(&b, "%s: %s by %s\n", o.place(), o.Text, o.Who())
	}
	return b.String()
}

// place is where an access stands in the PTX.
func (a *Access) place() string { return fmt.Sprintf("%s:%d", a.File, a.Line) }
