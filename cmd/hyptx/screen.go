package main

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"

	"hyptx/analysis"
)

// What people read. Names come from files that somebody else may have written:
// a manifest's network and labels, the kernels of a profiler's CSV, the names of
// the files themselves. Printed as they are, an escape sequence in one would
// recolour or clear the terminal, a newline would forge a line of ours ("hyptx:
// verified"), and a bidi control would show "cc.etad" for "date.cc". So all text
// for people goes through a screen, which writes such characters out as Go does:
// \x1b, \n, \u202e. Nothing else escapes, and nothing has to think of it.
//
// Files that programs read (CSV, JSON, DOT, also where they go to standard
// output by "-") do not pass through here: they keep the raw text, and their
// formats quote it themselves.

// screen is a stream of text for people. It keeps the error of the first write
// that failed (a full disk, a closed pipe): whoever prints line by line need not
// ask after each, and the run fails once, at its end (execute).
type screen struct {
	w      io.Writer
	names  *names
	failed error
}

// names are the texts from files that hold a line break. A stream cannot tell
// a name's break from a table's, so who reads a file says which names it has.
type names struct{ raw []string }

// learn notes the names with line breaks or tabs.
func (n *names) learn(texts ...string) {
	for _, s := range texts {
		if strings.ContainsAny(s, "\n\t") && strings.TrimSpace(s) != "" && !slices.Contains(n.raw, s) {
			n.raw = append(n.raw, s)
		}
	}
}

// learnCells notes the cells of a table: a profiler's CSV has the names of somebody's
// kernels, and errors about it name them. What is no table has none.
func (n *names) learnCells(text []byte) {
	r := csv.NewReader(bytes.NewReader(text))
	r.FieldsPerRecord, r.LazyQuotes, r.ReuseRecord = -1, true, true
	for cells, err := r.Read(); err == nil; cells, err = r.Read() {
		n.learn(cells...)
	}
}

// learnProgram notes the names in a manifest.
func (n *names) learnProgram(s *analysis.Session) {
	m := s.Manifest
	n.learn(m.Name)
	for _, b := range m.Buffers {
		n.learn(b.Name)
	}
	for step := range m.All() {
		if step.Launch != nil {
			n.learn(step.Launch.Label)
		}
	}
}

// oneLine writes out all control characters of a name.
func oneLine(name string) string {
	return visible(strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(name))
}

// safe writes out the control characters of a text, and of the names in it.
func (n *names) safe(text string) string {
	for _, name := range n.raw {
		text = strings.ReplaceAll(text, name, oneLine(name))
	}
	return visible(text)
}

// Write implements io.Writer. It says that it wrote all it was given: how much
// longer the text became is nobody's business.
func (s *screen) Write(text []byte) (int, error) {
	_, err := io.WriteString(s.w, s.names.safe(string(text)))
	if err != nil {
		s.failed = cmp.Or(s.failed, err)
	}
	return len(text), err
}

// say prints a line for people.
func (a *app) say(format string, args ...any) { fmt.Fprintf(a.text, format+"\n", args...) }

// steers reports whether a character does something to a terminal instead of
// being shown: C0 and C1 controls but for the ends of lines and tabs, the
// controls of the bidirectional algorithm (Unicode TR 9), line and paragraph
// separators.
func steers(r rune) bool {
	if ' ' <= r && r <= '~' {
		return false
	}
	return r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Bidi_Control, unicode.Zl, unicode.Zp)
}

// visible writes out the characters that would steer a terminal, and bytes that
// are no UTF-8: some terminals take 0x9b alone for the start of a sequence.
func visible(text string) string {
	if utf8.ValidString(text) && !strings.ContainsFunc(text, steers) {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], string(utf8.RuneError)):
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case steers(r):
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// columns is how wide text may be: as the terminal is; where there is none as
// COLUMNS says, else 80 columns.
func (a *app) columns() int {
	const least = 40
	if f, ok := a.stdout.(*os.File); ok {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > least {
			return w
		}
	}
	if w, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && w > least {
		return w
	}
	return 80
}

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream io.Writer) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
