package source

import (
	"bytes"
	"slices"

	"hyptx/parser"
)

// PTX may have lines of a preprocessor's (PTX ISA 4.1), which ptxas does not run, and neither
// does hyptx. The parser passes lines that begin with # over. Of #line nothing is lost; a #if
// says which of the lines between are meant, and a #define or #include what others say.

// So such a text is refused, unless --lenient asks for what can be read of it: then all of its
// lines count, those between #if and #else as well as those behind, and a warning says so. In
// comments a # means nothing, and behind other words of a line it is none of a preprocessor's.

// conditional are the directives without which a text says something else.
var conditional = []string{"if", "ifdef", "ifndef", "elif", "else", "endif", "define", "undef", "include"}

// preprocessed is what is wrong with a text of which a preprocessor would make another, nil if
// none would.
func (f File) preprocessed() *parser.Error {
	c := comments{text: f.Text}
	for at := 0; ; at++ {
		i := bytes.IndexByte(f.Text[at:], '#')
		if i < 0 {
			return nil
		}
		at += i
		line := len(bytes.TrimRight(f.Text[:at], " \t"))
		word := conditionalAt(f.Text[at+1:])
		if word == "" || line > 0 && f.Text[line-1] != '\n' {
			continue
		}
		if end := c.end(line); end > line {
			at = end - 1
			continue
		}
		return &parser.Error{File: f.Name, Pos: parser.Pos{Line: int32(f.before + 1 + bytes.Count(f.Text[:line], []byte("\n"))), Col: int32(at - line + 1)},
			Msg: "#" + word + " is for a preprocessor, which hyptx does not run: what `cpp -P` makes of the text is PTX"}
	}
}

// conditionalAt is the directive behind a #, "" if it is none of those.
func conditionalAt(text []byte) string {
	word := bytes.TrimLeft(text[:min(len(text), 100)], " \t")
	if end := bytes.IndexFunc(word, func(r rune) bool { return r < 'a' || r > 'z' }); end >= 0 {
		word = word[:end]
	}
	if slices.Contains(conditional, string(word)) {
		return string(word)
	}
	return ""
}
