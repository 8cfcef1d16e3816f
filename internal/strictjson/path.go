package strictjson

import (
	"fmt"
	"strings"
)

// MostQuoted is how many bytes of a string of the file a message repeats.
const MostQuoted = 60

// KeyPath appends an object's key to a path: "a" and "b" are a.b, a key that is
// no plain word stands in brackets and quotes.
func KeyPath(path, key string) string {
	switch {
	case !isPlain(key):
		return fmt.Sprintf("%s[%s]", path, Quoted(key))
	case path == "":
		return key
	}
	return path + "." + key
}

// ElementPath appends a list's index to a path.
func ElementPath(path string, i int) string { return fmt.Sprintf("%s[%d]", path, i) }

// within reports whether a path is another one or leads into it.
func within(path, outer string) bool {
	rest, ok := strings.CutPrefix(path, outer)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// isPlain reports whether a key can stand in a path as it is: a short word.
func isPlain(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !(c == '_' || c == '$' || c == '-' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' && i > 0) {
			return false
		}
	}
	return s != "" && len(s) <= MostQuoted
}

// Quoted writes a string of the file for a message, at a bearable length.
func Quoted(s string) string {
	if len(s) > MostQuoted {
		return fmt.Sprintf("%q...", s[:MostQuoted])
	}
	return fmt.Sprintf("%q", s)
}

// Clip shortens a number for a message.
func Clip(s string) string {
	if len(s) > 40 {
		return s[:40] + "..."
	}
	return s
}

// trail is the path to a value that is being read, innermost first. A path is
// written only if there is something to say: a file may have a million values.
type trail struct {
	up    *trail
	key   string
	index int // of a list's element; -1 for a key
}

func (t *trail) String() string {
	switch {
	case t == nil:
		return ""
	case t.index >= 0:
		return ElementPath(t.up.String(), t.index)
	}
	return KeyPath(t.up.String(), t.key)
}
