package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hyptx/analysis"
	"hyptx/internal/check"
)

// Findings for people: by kernel and kind, each with its sentence first, then the line of
// the source, if the file is there, and both instructions with their threads. On a
// terminal it has colours, unless NO_COLOR is set (no-color.org). Colours are escape
// sequences, which text for people must not hold (screen.go), so that here what comes from
// files is made visible piece by piece, and the whole is written as it is.

// findingText writes findings.
type findingText struct {
	names   *names
	sources *sourceLines
	colour  bool
	b       strings.Builder
}

// The colours: a title, a place, what matters less.
const (
	red   = "\x1b[1;31m"
	amber = "\x1b[1;33m"
	bold  = "\x1b[1m"
	grey  = "\x1b[2m"
	plain = "\x1b[0m"
)

// showFindings shows a report on a stream.
func (a *app) showFindings(w io.Writer, r *check.Report, folders []string) {
	t := &findingText{names: &a.names, sources: a.sources(folders), colour: isTerminal(w) && os.Getenv("NO_COLOR") == ""}
	a.bar.clear()
	if err := t.write(w, r); err != nil && a.text.failed == nil {
		a.text.failed = err
	}
}

// put adds a text in a colour.
func (t *findingText) put(colour, format string, args ...any) {
	text := t.names.safe(fmt.Sprintf(format, args...))
	if t.colour && colour != "" {
		text = colour + text + plain
	}
	t.b.WriteString(text)
}

// write writes all of a report.
func (t *findingText) write(w io.Writer, r *check.Report) error {
	var kernel check.Kernel
	several := slices.ContainsFunc(r.Findings, func(f *check.Finding) bool { return f.Program != r.Findings[0].Program })
	for i, f := range r.Findings {
		if i > 0 {
			t.put("", "\n")
		}
		if of := (check.Kernel{Program: f.Program, Name: f.Kernel}); of != kernel {
			kernel = of
			t.put(bold, "kernel %s", oneLine(analysis.Demangle(f.Kernel)))
			if several {
				t.put("", " of %s", f.Program)
			}
			t.put("", "\n")
		}
		t.finding(f)
	}
	if len(r.Findings) > 0 {
		t.put("", "\n")
	}
	t.end(r)
	_, err := io.WriteString(w, t.b.String())
	return err
}

// mostUnchecked is of how many launches and programs the last lines say why they were not
// checked.
const mostUnchecked = 10

// end writes how much was found, and what could not be checked.
func (t *findingText) end(r *check.Report) {
	var programs, launches []check.Unchecked
	for _, u := range r.Unchecked {
		if u.Kernel == "" {
			programs = append(programs, u)
		} else {
			launches = append(launches, u)
		}
	}
	all := plural(r.Launches, "launch")
	if n := len(launches); n > 0 {
		all = fmt.Sprintf("%d of %d launches", r.Launches, r.Launches+n)
	}
	var after string
	if r.Again > 0 {
		after = fmt.Sprintf(", %d of them run again by the race detector", r.Again)
	}
	if r.Suppressed > 0 {
		after += fmt.Sprintf("; %d left out as the suppressions say", r.Suppressed)
	}
	switch {
	case r.Launches > 0 || len(r.Findings) > 0 || r.Suppressed > 0:
		t.put(bold, "%s", kindsOf(r.Findings))
		t.put("", " found in %s%s\n", all, after)
	case len(r.Unchecked) == 0:
		t.put(bold, "nothing to check")
		t.put("", ": there is no launch\n")
	}
	t.unchecked("program", programs)
	t.unchecked("launch", launches)
}

// unchecked writes what could not be checked, and why.
func (t *findingText) unchecked(what string, list []check.Unchecked) {
	if len(list) == 0 {
		return
	}
	t.put(red, "%s could not be checked", plural(len(list), what))
	t.put("", ":")
	for i, u := range list {
		if i == mostUnchecked {
			t.put("", "\n  and %d more", len(list)-i)
			break
		}
		if len(list) > 1 {
			t.put("", "\n ")
		}
		reason := strings.ReplaceAll(u.Reason, "\n"+u.Program+": ", "; ") // several errors, one in each line
		t.put("", " %s: %s", oneLine(u.Program), oneLine(strings.TrimPrefix(reason, u.Program+": ")))
	}
	t.put("", "\n")
}

// finding writes one finding.
func (t *findingText) finding(f *check.Finding) {
	colour := red
	if f.Remark() {
		colour = amber
	}
	t.put(colour, "%s", f.Kind.Title())
	t.put(grey, " [%s]", f.Kind)
	t.put("", ", %s, first in launch %d", f.Times(), f.Launch)
	if f.Name != "" {
		t.put("", " (%s)", oneLine(f.Name))
	}
	t.put("", "\n  ")
	t.put(bold, "%s: ", f.At.At())
	t.put("", "%s\n", f.Why)
	t.side(f, &f.At)
	if f.Other != nil {
		t.side(f, f.Other)
	}
}

// side writes one access: its source, its instruction and its thread.
func (t *findingText) side(f *check.Finding, a *check.Access) {
	if line := t.sources.line(a.Source); line != "" {
		t.put(grey, "  %6d | ", a.Source.Line)
		t.put("", "%s\n", line)
	}
	t.put(grey, "    %s:%d  ", filepath.Base(a.File), a.Line)
	t.put("", "%s", oneLine(a.Text))
	if a.Known {
		t.put(grey, "  %s", a.Who())
	}
	if a == &f.At && f.Object != "" {
		t.put(grey, "  %s %s + %d", f.Space, oneLine(f.Object), f.Offset)
	}
	t.put("", "\n")
}

// sourceLines are the lines of source files, where those are to be found.
type sourceLines struct {
	folders []string // where else to look than where the PTX says
	within  string   // the folder that all must lie in, "" for anywhere
	files   map[string][]string
}

func (a *app) sources(folders []string) *sourceLines {
	return &sourceLines{folders: folders, within: a.limits.restrict, files: map[string][]string{}}
}

// mostSource is the largest source file of which lines are shown, in bytes.
const mostSource = 16 << 20

// line returns a line of a source, "" if it is not there.
func (s *sourceLines) line(at check.Source) string {
	if at.Line <= 0 {
		return ""
	}
	lines, known := s.files[at.File]
	if !known {
		lines = s.read(at.File)
		s.files[at.File] = lines
	}
	if at.Line > len(lines) {
		return ""
	}
	line := strings.TrimSpace(oneLine(strings.TrimRight(lines[at.Line-1], "\r")))
	if len(line) > maxShown {
		line = strings.ToValidUTF8(line[:maxShown], "") + "..."
	}
	return line
}

// read reads a source file: where the PTX says that it is, or by its name beside the program.
func (s *sourceLines) read(name string) []string {
	places := []string{name}
	for _, dir := range s.folders {
		places = append(places, filepath.Join(dir, name), filepath.Join(dir, filepath.Base(name)))
	}
	for _, p := range places {
		if s.within != "" && !inFolder(s.within, p) {
			continue
		}
		if st, err := os.Stat(p); err != nil || !st.Mode().IsRegular() || st.Size() > mostSource {
			continue
		}
		if text, err := os.ReadFile(p); err == nil {
			return strings.Split(string(text), "\n")
		}
	}
	return nil
}

// inFolder reports whether a file lies in a folder, wherever links lead.
func inFolder(dir, file string) bool {
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return false
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return false
	}
	dir, errDir := filepath.Abs(dir)
	real, errFile := filepath.Abs(real)
	rel, err := filepath.Rel(dir, real)
	return err == nil && errDir == nil && errFile == nil && filepath.IsLocal(rel)
}
