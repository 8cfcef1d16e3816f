package source

import (
	"bytes"
	"fmt"
	"slices"

	"hyptx/parser"
)

// PTX may have lines of a preprocessor's (PTX ISA 4.1), which ptxas does not run, and neither
// does hyptx. The parser passes lines that begin with # over. Of #line nothing is lost; a #if
// says which of the lines between are meant, and a #define or #include what others say.

// conditional are the directives without which a text says something else.
var conditional = []string{"if", "ifdef", "ifndef", "elif", "else", "endif", "define", "undef", "include"}

// preprocessed is what is wrong with a text of which a preprocessor would make another, nil if
// none would.
func (f File) preprocessed() *parser.Error {
	for at := 0; ; at++ {
		i := bytes.IndexByte(f.Text[at:], '#')
		if i < 0 {
			return nil
		}
		at += i
		line := bytes.LastIndexByte(f.Text[:at], '\n') + 1
		word := bytes.TrimLeft(f.Text[at+1:], " \t")
		end := bytes.IndexFunc(word, func(r rune) bool { return r < 'a' || r > 'z' })
		if end < 0 {
			end = len(word)
		}
		if len(bytes.TrimLeft(f.Text[line:at], " \t")) == 0 && slices.Contains(conditional, string(word[:end])) && !endsInComment(f.Text[:line]) {
			return &parser.Error{File: f.Name, Pos: parser.Pos{Line: int32(f.before + 1 + bytes.Count(f.Text[:line], []byte("\n"))), Col: int32(at - line + 1)},
				Msg: fmt.Sprintf("#%s is for a preprocessor, which hyptx does not run: what `cpp -P` makes of the text is PTX", word[:end])}
		}
	}
}
