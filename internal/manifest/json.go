package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// node is a JSON value with everything that package encoding/json forgets: the
// order of keys, the text of numbers, the place in the file.
type node struct {
	kind       nodeKind
	text       string // a string's contents, a number's digits, true or false
	keys       []string
	list       []*node // elements, or the values of keys
	start, end int     // bytes of the file
}

type nodeKind uint8

const (
	nullNode nodeKind = iota
	boolNode
	numberNode
	stringNode
	listNode
	objectNode
)

var nodeNames = [...]string{"null", "true or false", "a number", "a string", "a list", "an object"}

func (k nodeKind) String() string { return nodeNames[k] }

// trail is the path to a value that is being read, innermost first.
type trail struct {
	up    *trail
	key   string
	index int // of a list's element; -1 for a key
}

func (t *trail) String() string {
	if t == nil {
		return ""
	}
	if t.index >= 0 {
		return elementPath(t.up.String(), t.index)
	}
	return keyPath(t.up.String(), t.key)
}

// keyPath appends an object's key to a path.
func keyPath(path, key string) string {
	if strings.HasPrefix(path, "--") { // a flag, which has no parts
		return path
	}
	switch {
	case !isPlain(key):
		return fmt.Sprintf("%s[%s]", path, quoted(key))
	case path == "":
		return key
	}
	return path + "." + key
}

// elementPath appends a list's index to a path.
func elementPath(path string, i int) string { return fmt.Sprintf("%s[%d]", path, i) }

// isPlain reports whether a key can stand in a path as it is: a short word.
func isPlain(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !(c == '_' || c == '$' || c == '-' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' && i > 0) {
			return false
		}
	}
	return s != "" && len(s) <= mostQuoted
}

// mostQuoted is how many bytes of a string of the manifest a message repeats.
const mostQuoted = 60

// quoted writes a string of the manifest for a message, at a bearable length.
func quoted(s string) string {
	if len(s) > mostQuoted {
		return fmt.Sprintf("%q...", s[:mostQuoted])
	}
	return fmt.Sprintf("%q", s)
}

// tree builds nodes from a file that is known to be valid JSON.
type tree struct {
	dec    *json.Decoder
	values int
	errs   *errorList
}

var errStop = errors.New("stop")

// parseJSON reads one JSON value that makes up the whole file. It reports
// errors to errs and returns nil if there is no tree to go on with.
func parseJSON(data []byte, errs *errorList) *node {
	if len(data) > MaxFileBytes {
		errs.fail("", "more than %d bytes; put large data into files of their own", MaxFileBytes)
		return nil
	}
	if !utf8.Valid(data) {
		errs.fail("", "not UTF-8 text")
		return nil
	}
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		errs.add(syntaxError(errs.file, data, err))
		return nil
	}
	t := tree{dec: json.NewDecoder(bytes.NewReader(data)), errs: errs}
	t.dec.UseNumber()
	n, err := t.value(nil, 0)
	if err != nil {
		return nil
	}
	return n
}

// syntaxError gives an error of encoding/json its line and column.
func syntaxError(file string, data []byte, err error) error {
	var se *json.SyntaxError
	if !errors.As(err, &se) {
		return &Error{File: file, Err: err}
	}
	at := min(max(int(se.Offset)-1, 0), len(data))
	line := 1 + bytes.Count(data[:at], []byte("\n"))
	column := at - bytes.LastIndexByte(data[:at], '\n')
	return fmt.Errorf("%s:%d:%d: not valid JSON: %w", file, line, column, err)
}

// value reads the next value; at is its path.
func (t *tree) value(at *trail, depth int) (*node, error) {
	start := int(t.dec.InputOffset())
	token, err := t.dec.Token()
	if err != nil {
		t.errs.fail(at.String(), "not valid JSON: %w", err)
		return nil, errStop
	}
	if t.values++; t.values > MaxJSONValues {
		t.errs.fail("", "more than %d JSON values; put large data into files of their own (.npy)", MaxJSONValues)
		return nil, errStop
	}
	n := &node{start: start}
	switch v := token.(type) {
	case json.Delim:
		if depth >= MaxNesting {
			t.errs.fail("", "nested more than %d deep", MaxNesting)
			return nil, errStop
		}
		if v == '{' {
			err = t.members(n, at, depth)
		} else {
			err = t.elements(n, at, depth)
		}
	case json.Number:
		n.kind, n.text = numberNode, v.String()
	case string:
		n.kind, n.text = stringNode, v
	case bool:
		n.kind, n.text = boolNode, fmt.Sprint(v)
	}
	n.end = int(t.dec.InputOffset())
	return n, err
}

func (t *tree) elements(n *node, at *trail, depth int) error {
	n.kind = listNode
	for t.dec.More() {
		e, err := t.value(&trail{at, "", len(n.list)}, depth+1)
		if err != nil {
			return err
		}
		n.list = append(n.list, e)
	}
	_, err := t.dec.Token()
	return err
}

func (t *tree) members(n *node, at *trail, depth int) error {
	n.kind = objectNode
	seen := map[string]bool{}
	for t.dec.More() {
		token, err := t.dec.Token()
		if err != nil {
			return err
		}
		key, _ := token.(string)
		here := &trail{at, key, -1}
		if seen[key] {
			t.errs.fail(here.String(), "the key stands twice")
		}
		seen[key] = true
		e, err := t.value(here, depth+1)
		if err != nil {
			return err
		}
		n.keys, n.list = append(n.keys, key), append(n.list, e)
	}
	_, err := t.dec.Token()
	return err
}

// raw returns the text of a node.
func (n *node) raw(data []byte) json.RawMessage {
	return json.RawMessage(strings.TrimLeft(string(data[n.start:n.end]), " \t\r\n,:"))
}
