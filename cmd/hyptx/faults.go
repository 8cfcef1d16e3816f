package main

import (
	"errors"
	"fmt"
	"strings"

	"hyptx/parser"
)

// Errors of PTX as `hyptx parse` shows them: each with the line that it is about, and a
// caret under the place,
//
//	hyptx: k.ptx:41:9: mul.wide.s64: .wide takes .u16 .u32 .s16 .s32, not .s64 (PTX ISA 9.7.1.3)
//	    mul.wide.s64 %rd1, %rd2, %rd3;
//	        ^
//
// Commands that read PTX to do something with it tell the same in one line each.

// maxShown is how much of a line is shown, in bytes: some are a whole table.
const maxShown = 120

// showFaults shows the errors of a text; what is no error of its lines is returned.
func (a *app) showFaults(text []byte, err error) error {
	if list, ok := err.(parser.ErrorList); ok {
		for _, e := range list {
			a.showFault(text, "", e)
		}
		a.wrong = true
		return nil
	}
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		var all []error
		for _, e := range several.Unwrap() {
			all = append(all, a.showFaults(text, e))
		}
		return errors.Join(all...)
	}
	return err
}

// showFault shows one error, or what kind says that it is.
func (a *app) showFault(text []byte, kind string, e *parser.Error) {
	fmt.Fprintf(a.notes, "hyptx: %s%s\n", kind, spellFlags(a.names.safe(e.Error())))
	if line, caret := excerpt(text, e.Pos); line != "" {
		fmt.Fprintf(a.notes, "    %s\n    %s\n", line, caret)
	}
}

// excerpt is the line of a place, or what is near it, and a line with a caret under it.
func excerpt(text []byte, p parser.Pos) (line, caret string) {
	rest := string(text)
	for range p.Line - 1 {
		_, after, found := strings.Cut(rest, "\n")
		if !found {
			return "", ""
		}
		rest = after
	}
	line, _, _ = strings.Cut(rest, "\n")
	line = strings.TrimRight(line, " \t\r")
	col := int(p.Col) - 1
	if col < 0 || col > len(line) {
		return "", ""
	}
	if indent := len(line) - len(strings.TrimLeft(line, " \t")); indent <= col {
		line, col = line[indent:], col-indent
	}
	if start := col - maxShown/2; start > 0 && len(line) > maxShown {
		line, col = "..."+line[start:], col-start+len("...")
	}
	if len(line) > maxShown {
		line = line[:maxShown] + "..."
	}
	line = strings.ReplaceAll(strings.ToValidUTF8(line, "?"), "\t", " ")
	if line == "" {
		return "", ""
	}
	return line, strings.Repeat(" ", min(col, len(line))) + "^"
}
