package parser

import "github.com/alecthomas/participle/v2/lexer"

// A piece is a function, a declaration, or a run of directives between two. A file
// of 200 functions is 200 pieces and needs the memory for the tokens of one.

// chunkLexer gives the tokens of a piece of a module: up to the end of the
// next body, payload or declaration. Participle holds all tokens of what it
// parses in memory, 64 bytes for each; pieces keep that to the size of the
// largest function. Where a piece ends is the lexer's matter, which knows
// bodies from vectors: an error in one piece cannot spill into the next, but
// that a } is missing, and then what cannot stand in a body ends the piece.
type chunkLexer struct{ *moduleLexer }

func (c chunkLexer) Next() (lexer.Token, error) {
	if c.boundary {
		return lexer.EOFToken(c.position()), nil
	}
	return c.moduleLexer.Next()
}

// nextChunk reads the tokens of the next piece, with the words of its
// instructions and initialisers if asked; ok is false when none is left.
func nextChunk(l *moduleLexer, words bool) (tokens *lexer.PeekingLexer, ok bool, err error) {
	if !l.nextPiece() {
		return nil, false, nil
	}
	var chunk lexer.Lexer = chunkLexer{l}
	if words {
		chunk = &wordLexer{coarse: chunk}
	}
	tokens, err = lexer.Upgrade(chunk)
	return tokens, true, err
}

// nextPiece sets l before the next piece; it is false when none is left.
func (l *moduleLexer) nextPiece() bool {
	l.boundary, l.header, l.all = false, 0, 0
	return !l.done
}
