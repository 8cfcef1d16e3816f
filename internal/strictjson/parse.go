package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Limits are what a file may hold, so that a bad one is an error and not an
// exhausted machine.
type Limits struct {
	Bytes   int // of the file
	Values  int // objects, lists, numbers, ...
	Nesting int // how deep objects and lists may stand in each other
	// Advice says what to do with a file that holds more; "" for nothing.
	Advice string
}

// tree builds nodes from a file that is known to be valid JSON.
type tree struct {
	Limits
	dec    *json.Decoder
	values int
	errs   *List
}

var errStop = errors.New("stop")

// Parse reads one JSON value that makes up the whole file. It reports errors to
// errs and returns nil if there is no tree to go on with. A key that stands
// twice is an error after which reading goes on.
func Parse(data []byte, most Limits, errs *List) *Node {
	t := tree{Limits: most, dec: json.NewDecoder(bytes.NewReader(data)), errs: errs}
	if len(data) > most.Bytes {
		_ = t.stop("more than %d bytes", most.Bytes)
		return nil
	}
	if !utf8.Valid(data) {
		errs.Fail("", "not UTF-8 text")
		return nil
	}
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		errs.Add(syntaxError(errs.File, data, err))
		return nil
	}
	t.dec.UseNumber()
	n, err := t.value(nil, 0)
	if err != nil {
		return nil
	}
	return n
}

// stop reports that the file holds too much, and ends the reading.
func (t *tree) stop(format string, args ...any) error {
	what := fmt.Sprintf(format, args...)
	if t.Advice != "" {
		what += "; " + t.Advice
	}
	t.errs.Fail("", "%s", what)
	return errStop
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
	if strings.Contains(err.Error(), "exceeded max depth") { // a constant of encoding/json
		return fmt.Errorf("%s:%d:%d: more than 10000 lists and objects in each other", file, line, column)
	}
	return fmt.Errorf("%s:%d:%d: not valid JSON: %w", file, line, column, err)
}

// value reads the next value; at is its path.
func (t *tree) value(at *trail, depth int) (*Node, error) {
	start := int(t.dec.InputOffset())
	token, err := t.dec.Token()
	if err != nil {
		t.errs.Fail(at.String(), "not valid JSON: %w", err)
		return nil, errStop
	}
	if t.values++; t.values > t.Values {
		return nil, t.stop("more than %d JSON values", t.Values)
	}
	n := &Node{start: start}
	switch v := token.(type) {
	case json.Delim:
		if depth >= t.Nesting {
			t.errs.Fail("", "nested more than %d deep", t.Nesting)
			return nil, errStop
		}
		if v == '{' {
			err = t.members(n, at, depth)
		} else {
			err = t.elements(n, at, depth)
		}
	case json.Number:
		n.Kind, n.Text = Number, v.String()
	case string:
		n.Kind, n.Text = String, v
	case bool:
		n.Kind, n.Text = Bool, fmt.Sprint(v)
	}
	n.end = int(t.dec.InputOffset())
	return n, err
}

func (t *tree) elements(n *Node, at *trail, depth int) error {
	n.Kind = Array
	for t.dec.More() {
		e, err := t.value(&trail{at, "", len(n.List)}, depth+1)
		if err != nil {
			return err
		}
		n.List = append(n.List, e)
	}
	_, err := t.dec.Token()
	return err
}

func (t *tree) members(n *Node, at *trail, depth int) error {
	n.Kind = Map
	seen := map[string]bool{}
	for t.dec.More() {
		token, err := t.dec.Token()
		if err != nil {
			return err
		}
		key, _ := token.(string)
		here := &trail{at, key, -1}
		if seen[key] {
			t.errs.Fail(here.String(), "the key stands twice")
		}
		seen[key] = true
		e, err := t.value(here, depth+1)
		if err != nil {
			return err
		}
		n.Keys, n.List = append(n.Keys, key), append(n.List, e)
	}
	_, err := t.dec.Token()
	return err
}
