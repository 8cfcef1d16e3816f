package check

import (
	"encoding/xml"
	"fmt"
	"io"
)

// JUnit's format is what Ant's task writes and CI services read; there is no standard, but
// testsuites, testsuite, testcase and failure are in all dialects.
type junitSuites struct {
	XMLName  xml.Name   `xml:"testsuites"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Errors   int        `xml:"errors,attr"`
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
	Error   *junitFailure `xml:"error"`
	Out     string        `xml:"system-out,omitempty"`
}

type junitFailure struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// WriteJUnit writes the report as test cases: one for each finding, which fails unless it is
// a remark, one for each launch or program that could not be checked, which is an error, and
// one for each kernel that was checked and in which nothing was found.
func (r *Report) WriteJUnit(w io.Writer) error {
	s := junitSuite{Name: "hyptx check"}
	names := r.caseNames()
	for i, f := range r.Findings {
		c := junitCase{Class: f.kernel().class(), Name: names[i], File: f.At.File, Line: f.At.Line}
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
	for i := range r.Unchecked {
		s.Cases = append(s.Cases, r.Unchecked[i].junit())
	}
	for _, k := range r.clean() {
		s.Cases = append(s.Cases, junitCase{Class: k.class(), Name: "check"})
	}
	s.Errors = len(r.Unchecked)
	s.Tests = len(s.Cases)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", " ")
	if err := e.Encode(junitSuites{Tests: s.Tests, Failures: s.Failures, Errors: s.Errors, Suite: s}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// junit is what could not be checked as a test case, which is an error.
func (u *Unchecked) junit() junitCase {
	name := "check"
	if u.Kernel != "" {
		name = fmt.Sprintf("check of launch %d", u.Launch)
	}
	return junitCase{
		Class: u.kernel().class(), Name: name, File: u.Program,
		Error: &junitFailure{Type: "not-checked", Message: u.Reason, Text: u.Reason},
	}
}

// caseNames are the names of the findings' test cases. CI services know a case by its class
// and name, so that those of one line of the source have their places in the PTX, too.
func (r *Report) caseNames() []string {
	names, many := make([]string, len(r.Findings)), map[[2]string]int{}
	for i, f := range r.Findings {
		names[i] = fmt.Sprintf("%s at %s", f.Kind, f.At.At())
		many[[2]string{f.kernel().class(), names[i]}]++
	}
	for i, f := range r.Findings {
		if many[[2]string{f.kernel().class(), names[i]}] == 1 {
			continue
		}
		names[i] += fmt.Sprintf(" (%s:%d", f.At.place(), f.At.Col)
		if f.Other != nil {
			names[i] += fmt.Sprintf(" and %s:%d", f.Other.place(), f.Other.Col)
		}
		names[i] += ")"
	}
	return names
}
