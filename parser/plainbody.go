package parser

import "strings"

// Of a body that is read later only its end is wanted, and how many instructions it has. Compilers
// print a statement a line, and of such a body both are found without a look at what stands
// in the lines: a line begins with a name, a guard or one of a few directives, and ends with
// the only ; in it, or is a label. Whatever else a body holds, comments, strings, scopes,
// a statement on two lines, it is gone over by statements (passOver), as the lexer would.

// passPlain moves over the lines of such a body to its } and says how many are instructions; 0,
// and has moved nothing, where a body has anything else. l stands behind the { .
func (l *moduleLexer) passPlain() (instructions int) {
	end := l.plainEnd()
	if end < 0 {
		return 0
	}
	text := l.src[l.off:end]
	if strings.IndexByte(text, '"') >= 0 || strings.IndexByte(text, '#') >= 0 {
		return 0
	}
	count, ok := plainLines{}, true
	slash := indexFrom(text, 0, '/')
	line, bol := l.line, l.bol
	for off := 0; off < len(text) && ok; {
		stop := indexFrom(text, off, '\n')
		if stop < len(text) {
			line++
			bol = l.off + stop + 1
		}
		code := stop
		if slash < stop {
			ok = stop < len(text) && count.comment(text[slash:stop]) // or the } stands in it
			code, slash = slash, indexFrom(text, stop, '/')
		}
		ok = count.add(text[off:code]) && ok
		off = stop + 1
	}
	most := count.instructions + count.labels + mostWords*count.directives
	if !ok || !count.alone(text) || l.all+most > maxBodyTokens {
		return 0
	}
	l.off, l.line, l.bol = end, line, bol
	l.all += most
	return count.instructions
}

// indexFrom is where the next byte c from off on stands, the length of the text if none does.
func indexFrom(text string, off int, c byte) int {
	if n := strings.IndexByte(text[off:], c); n >= 0 {
		return off + n
	}
	return len(text)
}

// mostWords is more words than a plain directive of a body has, and bytes.
const mostWords = 64

// plainEnd is where the } of the body at l stands, if all braces before are those of vectors, which
// are whole; -1 if not.
func (l *moduleLexer) plainEnd() int {
	for off := l.off; ; {
		n := strings.IndexByte(l.src[off:], '}')
		if n < 0 {
			return -1
		}
		open := strings.IndexByte(l.src[off:off+n], '{')
		if open < 0 {
			return off + n
		}
		vector := l.src[off+open+1 : off+n]
		if strings.ContainsAny(vector, ";\n{.") { // with a dot it may be a scope
			return -1
		}
		off += n + 1
	}
}

// plainLines counts lines by what they are. Of semicolons and colons it counts those that are of
// no interest: at the ends of lines, and in comments.
type plainLines struct {
	instructions, labels, directives int
	semicolons, colons, pairs        int
}

// add counts a line; it is false for one that is not plain.
func (p *plainLines) add(line string) bool {
	at, end := 0, len(line)
	for at < end && is(line[at], isGap) {
		at++
	}
	for at < end && is(line[end-1], isGap) {
		end--
	}
	if at == end {
		return true
	}
	ended := line[end-1] == ';'
	if ended {
		p.semicolons++
	}
	switch line = line[at:end]; {
	case line[0] == '.':
		p.directives++
		return plainDirective(line, ended)
	case !plainStart(line):
		return false
	case ended:
		p.instructions++
		return true
	}
	p.labels++
	for _, c := range []byte(line[:len(line)-1]) {
		if !is(c, isFollow) {
			return false
		}
	}
	return line[len(line)-1] == ':'
}

// plainStart says whether a line begins with a name or a guard.
func plainStart(line string) bool {
	switch c := line[0]; c {
	case '$':
		return len(line) > 1 && is(line[1], isFollow)
	case '@':
		return len(line) > 1 && line[1] != '@' // as @@DWARF
	default:
		return is(c, isLetter)
	}
}

// comment counts what stands in a comment; it is false where a slash begins none, or one that may
// be longer than the line or than the body.
func (p *plainLines) comment(text string) bool {
	p.semicolons += strings.Count(text, ";")
	p.colons += strings.Count(text, ":")
	p.pairs += strings.Count(text, "::")
	return strings.HasPrefix(text, "//") && !strings.ContainsAny(text, "{}")
}

// plainDirective says whether a directive is one of those that may stand in a body, and ends as it does.
func plainDirective(text string, ended bool) bool {
	word := 1
	for word < len(text) && is(text[word], isFollow) {
		word++
	}
	switch text[:word] {
	case ".reg", ".local", ".shared", ".param":
		return ended && len(text) < mostWords && strings.IndexByte(text, '{') < 0
	case ".loc":
		for _, c := range []byte(text[word:]) {
			if !is(c, isDigit|isGap) {
				return false
			}
		}
		return true
	}
	return false
}

// alone says whether each line that a ; ends has no other, and no label before what it ends: a
// colon is that of a label, or one of two.
func (p *plainLines) alone(text string) bool {
	colons := strings.Count(text, ":") - p.labels - p.colons
	return strings.Count(text, ";") == p.semicolons && (colons == 0 || colons == 2*(strings.Count(text, "::")-p.pairs))
}
