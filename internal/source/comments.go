package source

import "bytes"

// Where a module begins, and whether a # is a preprocessor's, is looked for by the word alone, which
// is fast; whether that word stands in a comment is asked afterwards, and seldom.

// comments goes over a text once and knows where block comments are: what looks like PTX in one
// is none. Places are asked for in their order, so that all of them cost no more than one does.
type comments struct {
	text []byte
	at   int // nothing before it is open
}

// end is where the block comment ends in which a place is that begins a line; that place where
// there is none.
func (c *comments) end(place int) int {
	for c.at < place {
		i := bytes.IndexAny(c.text[c.at:place], `/"`)
		if i < 0 {
			c.at = place
			break
		}
		c.at = behind(c.text, c.at+i)
	}
	return max(c.at, place)
}

// behind is where the comment or string ends that begins at a place, or the mark that begins none.
func behind(text []byte, at int) int {
	rest := text[at:]
	switch {
	case rest[0] == '"': // on its line
		return at + 1 + bytes.IndexAny(rest[1:], "\"\n") + 1
	case bytes.HasPrefix(rest, []byte("//")):
		if n := bytes.IndexByte(rest, '\n'); n >= 0 {
			return at + n
		}
		return len(text)
	case bytes.HasPrefix(rest, []byte("/*")):
		if n := bytes.Index(rest[2:], []byte("*/")); n >= 0 {
			return at + 2 + n + 2
		}
		return len(text)
	}
	return at + 1
}
