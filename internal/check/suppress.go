package check

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// A file of suppressions has a line for each finding, or sort of finding, that is not to
// be told again:
//
//	data-race kernel=histogram* at=k.cu:42
//	benign-race
//	unwritten-memory object=x    # why it is as it should be
//
// The kind comes first, * for any; after it whatever narrows it down: the kernel, by its name
// in the PTX or the source, the place of the finding or of its other access, a line or a whole
// file of the source or the PTX, the object. * stands for any characters.

// Suppressions are the lines of such a file.
type Suppressions struct{ rules []*rule }

// rule is a line: what a finding has to be for it to be left out, and how many were.
type rule struct {
	line   int
	kind   string
	fields map[string]string
	used   int
}

// ParseSuppressions reads a file's text; name is for messages.
func ParseSuppressions(name, text string) (*Suppressions, error) {
	s := &Suppressions{}
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		r := &rule{line: i + 1, kind: words[0], fields: map[string]string{}}
		if r.kind != "*" && !slices.Contains(Kinds(), Kind(r.kind)) {
			return nil, fmt.Errorf("%s:%d: %q is no kind of finding", name, i+1, r.kind)
		}
		for _, word := range words[1:] {
			field, value, ok := strings.Cut(word, "=")
			if _, err := path.Match(value, ""); err != nil || !ok || !slices.Contains([]string{"kernel", "at", "object"}, field) {
				return nil, fmt.Errorf("%s:%d: %q: must be kernel=, at= or object= and a pattern", name, i+1, word)
			}
			r.fields[field] = value
		}
		s.rules = append(s.rules, r)
	}
	return s, nil
}

// Drop returns the findings that no line leaves out, and how many were left out; names are
// all names of a kernel.
func (s *Suppressions) Drop(list []*Finding, names func(kernel string) []string) (kept []*Finding, dropped int) {
	for _, f := range list {
		i := slices.IndexFunc(s.rules, func(r *rule) bool { return r.matches(f, names) })
		if i < 0 {
			kept = append(kept, f)
			continue
		}
		s.rules[i].used++
		dropped++
	}
	return kept, dropped
}

// Unused returns the numbers of the lines that have left nothing out.
func (s *Suppressions) Unused() (lines []int) {
	for _, r := range s.rules {
		if r.used == 0 {
			lines = append(lines, r.line)
		}
	}
	return lines
}

func (r *rule) matches(f *Finding, names func(kernel string) []string) bool {
	if r.kind != "*" && r.kind != string(f.Kind) {
		return false
	}
	for field, pattern := range r.fields {
		var texts []string
		switch field {
		case "kernel":
			texts = names(f.Kernel)
		case "object":
			texts = []string{f.Object}
		case "at":
			texts = placesOf(&f.At)
			if f.Other != nil {
				texts = append(texts, placesOf(f.Other)...)
			}
		}
		if !slices.ContainsFunc(texts, func(text string) bool { ok, _ := path.Match(pattern, text); return ok }) {
			return false
		}
	}
	return true
}

// placesOf are the names of where an access stands, with folders and without, with the line
// and without.
func placesOf(a *Access) (names []string) {
	for _, at := range []Source{{a.File, a.Line, a.Col}, a.Source} {
		if at.File != "" {
			names = append(names, at.String(), path.Base(at.String()), at.File, path.Base(at.File))
		}
	}
	return names
}
