package main

import (
	"regexp"
	"strings"

	"hyptx/analysis"
)

// What stands only in a column of a CSV file is overlooked: somebody who plots
// time_us does not read warnings. So what columns of remarks hold is also said
// on standard error: each remark once, with how many rows it is of. Remarks that
// differ in their numbers alone ("loads in flight: 12 a warp ...") are one; a
// network of a hundred launches would otherwise say the same a hundred times.

// mostRemarks is how many different remarks of a column are told.
const mostRemarks = 5

// numbers is what remarks may differ in; the digits of names (L2, gtx-480) are
// none.
var numbers = regexp.MustCompile(`( |\()[0-9]+(\.[0-9]+)?`)

// assumed is the remark of a launch's row about inputs that nobody gave, in
// brief.
func assumed(kind, inputs string) []string {
	if inputs == "" || kind != analysis.KindLaunch {
		return nil
	}
	return []string{strings.ReplaceAll(analysis.BriefAssumptions(inputs), "; ", ", ")}
}

// noteAssumed says what was assumed of the launches of bare files, where no row does.
func (a *app) noteAssumed(sessions ...*analysis.Session) {
	var all remarks
	for _, s := range sessions {
		all.add(assumed(analysis.KindLaunch, strings.Join(s.Assumed, "; "))...)
	}
	for i, r := range all.list {
		switch {
		case i == mostRemarks:
			a.note("assumed of other kernels: %s more", plural(len(all.list)-i, "remark"))
			return
		case len(sessions) == 1:
			a.note("assumed: %s", r.text)
		case r.other:
			a.note("assumed: %s, with other numbers too (%s)", r.text, plural(r.rows, "kernel"))
		default:
			a.note("assumed: %s (%s)", r.text, plural(r.rows, "kernel"))
		}
	}
}

// missing is the remark of a launch's row about a figure that is not there.
func missing(kind, why string) []string {
	if kind != analysis.KindLaunch {
		return nil
	}
	return []string{why}
}

// remark is a text in a column of several rows.
type remark struct {
	text  string // as it first stood
	rows  int
	other bool // it stood with other numbers, too
}

// remarks are those of a column, each kind once.
type remarks struct {
	list  []*remark
	known map[string]*remark
}

// add adds those of a row, which may have several.
func (all *remarks) add(texts ...string) {
	for _, text := range texts {
		if text == "" {
			continue
		}
		kind := numbers.ReplaceAllString(text, "$1#")
		r := all.known[kind]
		if r == nil {
			if all.known == nil {
				all.known = map[string]*remark{}
			}
			r = &remark{text: text}
			all.known[kind], all.list = r, append(all.list, r)
		}
		r.rows++
		r.other = r.other || r.text != text
	}
}

// noteRemarks tells what stands in a column of remarks.
func noteRemarks[R any](a *app, column string, rows []R, of func(R) []string) {
	var all remarks
	for _, row := range rows {
		all.add(of(row)...)
	}
	all.tell(a, column)
}

// tell tells what stands in the column.
func (all *remarks) tell(a *app, column string) {
	for i, r := range all.list {
		if i == mostRemarks {
			a.note("%s more in the column %s", plural(len(all.list)-i, "remark"), column)
			break
		}
		more := ""
		if r.other {
			more = ", with other numbers too"
		}
		a.note("%s: %s (%s%s)", column, r.text, plural(r.rows, "row"), more)
	}
}
