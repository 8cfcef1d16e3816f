package check

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
)

// A file of suppressions has a line for each finding, or sort of finding, that is not to
// be told again:
//
//	data-race kernel=histogram* at=k.cu:42
//	data-race kernel="void reduce<int, 512>(int const*, int*)"
//	benign-race
//	unwritten-memory object=x    # why it is as it should be
//
// The kind comes first, * for any; after it whatever narrows it down: the kernel, by its name
// in the PTX or the source, the place of the finding or of its other access, a line or a whole
// file of the source or the PTX, the object. * stands for any characters. What stands in quotes may
// have spaces and #, and spaces in the name of a kernel do not count; a backslash takes the next
// character as it is.

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
		words, err := splitWords(line)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, i+1, err)
		}
		if len(words) == 0 {
			continue
		}
		r := &rule{line: i + 1, kind: words[0], fields: map[string]string{}}
		if r.kind != "*" && !slices.Contains(Kinds(), Kind(r.kind)) {
			return nil, fmt.Errorf("%s:%d: %q is no kind of finding", name, i+1, r.kind)
		}
		for _, word := range words[1:] {
			field, value, ok := strings.Cut(word, "=")
			if field == "kernel" { // the names that it is held against have no spaces
				value = strings.NewReplacer(`\ `, "", " ", "").Replace(value)
			}
			if _, err := path.Match(value, ""); err != nil || !ok || !slices.Contains([]string{"kernel", "at", "object"}, field) {
				return nil, fmt.Errorf("%s:%d: %q: must be kernel=, at= or object= and a pattern", name, i+1, word)
			}
			r.fields[field] = value
		}
		s.rules = append(s.rules, r)
	}
	return s, nil
}

// splitWords returns the words of a line up to its comment, without the quotes around what may have
// spaces. A backslash stays before what it takes as it is, for a pattern has to know of it.
func splitWords(line string) (words []string, err error) {
	var word []rune
	begun, quoted := false, false
	end := func() {
		if begun {
			words = append(words, string(word))
		}
		begun, word = false, word[:0]
	}
	text := []rune(line)
	for i := 0; i < len(text) && (quoted || text[i] != '#'); i++ {
		switch c := text[i]; {
		case c == '"':
			begun, quoted = true, !quoted
		case !quoted && unicode.IsSpace(c):
			end()
		case c == '\\' && i+1 < len(text):
			i++
			begun, word = true, append(word, c, text[i])
		default:
			begun, word = true, append(word, c)
		}
	}
	if end(); quoted {
		return nil, errors.New("a quote is not closed")
	}
	return words, nil
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
