package gpu

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// Limits of a GPU's file.
const (
	maxFileBytes = 1 << 20
	maxNesting   = 8
	maxText      = 500 // bytes of one string
	maxErrors    = 20  // shown of one file
)

// node is a JSON value that keeps the order of keys and the digits of numbers.
type node struct {
	kind nodeKind
	text string // a string's contents, a number's digits, true or false
	keys []string
	list []*node // elements, or the values of keys
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

func (k nodeKind) String() string {
	return [...]string{"null", "true or false", "a number", "a string", "a list", "an object"}[k]
}

// get returns the value of a key, nil if it is absent.
func (n *node) get(key string) *node {
	if i := slices.Index(n.keys, key); i >= 0 {
		return n.list[i]
	}
	return nil
}

// parseJSON reads the one JSON value that a file must hold. Errors lack the
// file's name.
func parseJSON(data []byte) (*node, error) {
	if len(data) > maxFileBytes {
		return nil, fmt.Errorf("more than %d bytes: this is no GPU's file", maxFileBytes)
	}
	if !utf8.Valid(data) {
		return nil, errors.New("not UTF-8 text")
	}
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		return nil, syntaxError(data, err)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return readNode(d, "", 0)
}

// syntaxError gives an error of encoding/json its line and column.
func syntaxError(data []byte, err error) error {
	at := len(data)
	if se := (*json.SyntaxError)(nil); errors.As(err, &se) {
		at = min(max(int(se.Offset)-1, 0), len(data))
	}
	line := 1 + bytes.Count(data[:at], []byte("\n"))
	column := at - bytes.LastIndexByte(data[:at], '\n')
	return fmt.Errorf("line %d, column %d: not valid JSON: %w", line, column, err)
}

func readNode(d *json.Decoder, path string, depth int) (*node, error) {
	token, err := d.Token()
	if err == io.EOF {
		return nil, errors.New("not valid JSON: it ends too early")
	}
	if err != nil {
		return nil, fmt.Errorf("not valid JSON: %w", err)
	}
	if depth > maxNesting {
		return nil, fmt.Errorf("%s: nested more than %d deep", path, maxNesting)
	}
	switch v := token.(type) {
	case json.Delim:
		if v == '[' {
			return readList(d, path, depth)
		}
		return readObject(d, path, depth)
	case json.Number:
		return &node{kind: numberNode, text: v.String()}, nil
	case string:
		return &node{kind: stringNode, text: v}, nil
	case bool:
		return &node{kind: boolNode, text: fmt.Sprint(v)}, nil
	}
	return &node{kind: nullNode}, nil
}

func readList(d *json.Decoder, path string, depth int) (*node, error) {
	n := &node{kind: listNode}
	for d.More() {
		e, err := readNode(d, fmt.Sprintf("%s[%d]", path, len(n.list)), depth+1)
		if err != nil {
			return nil, err
		}
		n.list = append(n.list, e)
	}
	_, err := d.Token()
	return n, err
}

func readObject(d *json.Decoder, path string, depth int) (*node, error) {
	n := &node{kind: objectNode}
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		key, _ := token.(string)
		at := join(path, key)
		if seen[key] {
			return nil, fmt.Errorf("%s: the key stands twice", at)
		}
		seen[key] = true
		e, err := readNode(d, at, depth+1)
		if err != nil {
			return nil, err
		}
		n.keys, n.list = append(n.keys, key), append(n.list, e)
	}
	_, err := d.Token()
	return n, err
}

// join appends a key to a path, at a bearable length.
func join(path, key string) string {
	if len(key) > 60 {
		key = strings.ToValidUTF8(key[:60], "") + "..."
	}
	if path == "" {
		return key
	}
	return path + "." + key
}
