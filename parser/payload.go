package parser

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// Debug information is as long as the code and says nothing to hyptx. It is not
// PTX either: no semicolons, labels in the middle, raw text between its own
// marks (PTX ISA 11.5). It passes as one token, and is kept for printing.

// payload reads { ... } of a .section or of a .nv_intermediate_source_section
// as one token: there are no statements in it.
func (l *moduleLexer) payload(p lexer.Position) lexer.Token {
	start := l.off
	braces := 0
	for l.off < len(l.src) {
		switch c := l.src[l.off]; c {
		case '\n':
			l.newline()
		case '{':
			braces++
			l.off++
		case '}':
			l.off++
			if braces--; braces == 0 {
				l.opaque = ""
				l.statement = l.depth > 0
				l.boundary = l.depth == 0
				return l.give(p, tokPayload, l.src[start:l.off])
			}
		case '.':
			l.heredoc()
		default:
			l.stepOver(c)
		}
	}
	l.done = true
	return l.give(p, tokBad, "the text of "+l.opaque+" does not end; expected }")
}

// heredoc steps over .source_begin ... .source_end, between which nothing is
// PTX (PTX ISA 11.5.6), or over a lone dot.
func (l *moduleLexer) heredoc() {
	const begin, end = ".source_begin", ".source_end"
	if !strings.HasPrefix(l.src[l.off:], begin) {
		l.off++
		return
	}
	n := strings.Index(l.src[l.off:], end)
	if n < 0 {
		l.skipTo(len(l.src))
		return
	}
	l.skipTo(l.off + n + len(end))
}

// initialiser reads what follows the = of a declaration, up to the , or ;
// after it, as one token.
func (l *moduleLexer) initialiser(p lexer.Position) lexer.Token {
	start, nest := l.off, 0
scan:
	for l.off < len(l.src) {
		switch c := l.src[l.off]; c {
		case '\n':
			l.newline()
		case '{', '(':
			nest++
			l.off++
		case '}', ')':
			if nest == 0 {
				break scan
			}
			nest--
			l.off++
		case ';':
			break scan
		case ',':
			if nest == 0 {
				break scan
			}
			l.off++
		default:
			l.stepOver(c)
		}
	}
	return l.give(p, tokInit, l.src[start:l.off])
}
