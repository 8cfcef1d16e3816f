package check

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
)

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
