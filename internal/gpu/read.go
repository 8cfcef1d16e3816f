package gpu

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// reader fills a GPU from a file's JSON and collects what is wrong with it.
type reader struct {
	file string
	errs []error
	// power is the text of the key power_model.
	power json.RawMessage
}

func (r *reader) fail(path, format string, args ...any) {
	if len(r.errs) > maxErrors {
		return
	}
	where := r.file
	if path != "" {
		where += ": " + path
	}
	if len(r.errs) == maxErrors {
		r.errs = append(r.errs, fmt.Errorf("%s: and more", r.file))
		return
	}
	r.errs = append(r.errs, fmt.Errorf("%s: %s", where, fmt.Sprintf(format, args...)))
}

// Read reads the JSON of a GPU's file; file is its name for messages. Every key
// must be there and no other; an unknown number is null.
func Read(file string, data []byte) (*GPU, error) {
	r := &reader{file: file}
	n, err := parseJSON(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	g := &GPU{}
	var raw struct {
		PowerModel json.RawMessage `json:"power_model"`
	}
	if n.kind == objectNode && json.Unmarshal(data, &raw) == nil {
		r.power = raw.PowerModel
	}
	r.group(reflect.ValueOf(g).Elem(), n, "")
	if len(r.errs) == 0 {
		r.check(g)
	}
	if len(r.errs) > 0 {
		return nil, errors.Join(r.errs...)
	}
	return g, nil
}

// group fills a struct from an object with exactly its keys.
func (r *reader) group(v reflect.Value, n *node, path string) {
	if n.kind != objectNode {
		r.fail(path, "must be an object, not %s", n.kind)
		return
	}
	var names []string
	for _, f := range stored(v.Type()) {
		names = append(names, keyOf(f))
	}
	for _, key := range n.keys {
		if !slices.Contains(names, key) {
			r.fail(join(path, key), "unknown key; known here: %s", strings.Join(names, ", "))
		}
	}
	for _, f := range stored(v.Type()) {
		key, field := keyOf(f), v.FieldByIndex(f.Index)
		if e := n.get(key); e == nil {
			if _, optional := field.Interface().(json.RawMessage); optional {
				continue
			}
			r.fail(path, "lacks the key %q; a number that is not known is null", key)
		} else {
			r.field(field, e, join(path, key), f.Tag.Get("may") == "zero")
		}
	}
}

// stored returns the fields of a struct that its JSON has.
func stored(t reflect.Type) []reflect.StructField {
	return slices.DeleteFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool { return keyOf(f) == "-" })
}

func keyOf(f reflect.StructField) string {
	key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return key
}

func (r *reader) field(v reflect.Value, n *node, path string, mayBeZero bool) {
	switch p := v.Addr().Interface().(type) {
	case *json.RawMessage:
		*p = r.power
	case *string:
		*p = r.text(n, path)
	case *[]string:
		*p = each(r, n, path, r.text)
	case **Text:
		*p = fact(r, n, path, r.text)
	case **Bool:
		*p = fact(r, n, path, func(n *node, path string) bool { return r.expect(n, path, boolNode) && n.text == "true" })
	case **Float:
		*p = fact(r, n, path, func(n *node, path string) float64 { return r.number(n, path, mayBeZero) })
	case **Int:
		*p = fact(r, n, path, func(n *node, path string) int { return r.whole(n, path, mayBeZero) })
	case **Ints:
		*p = fact(r, n, path, func(n *node, path string) []int {
			return each(r, n, path, func(n *node, path string) int { return r.whole(n, path, true) })
		})
	default:
		r.group(v, n, path)
	}
}

// fact reads {"value": ..., "source": "..."} or null.
func fact[T any](r *reader, n *node, path string, value func(*node, string) T) *Fact[T] {
	if n.kind == nullNode {
		return nil
	}
	if n.kind != objectNode {
		r.fail(path, `must be {"value": ..., "source": "..."} or null, not %s`, n.kind)
		return nil
	}
	for _, k := range n.keys {
		if k != "value" && k != "source" {
			r.fail(join(path, k), "unknown key; known here: value, source")
		}
	}
	f := &Fact[T]{}
	if v := n.get("value"); v == nil {
		r.fail(path, `lacks the key "value"`)
	} else if v.kind == nullNode {
		r.fail(path, `"value": null: a number that is not known is null as a whole: "%s": null`, path[strings.LastIndexByte(path, '.')+1:])
	} else {
		f.Value = value(v, join(path, "value"))
	}
	if s := n.get("source"); s == nil {
		r.fail(path, `lacks the key "source": which document states the number?`)
	} else {
		f.Source = r.text(s, join(path, "source"))
	}
	return f
}

// each reads the elements of a list.
func each[T any](r *reader, n *node, path string, one func(*node, string) T) []T {
	list := []T{}
	if r.expect(n, path, listNode) {
		for i, e := range n.list {
			list = append(list, one(e, fmt.Sprintf("%s[%d]", path, i)))
		}
	}
	return list
}

// expect reports whether n is of a kind; if not, that is an error.
func (r *reader) expect(n *node, path string, kind nodeKind) bool {
	if n.kind == kind {
		return true
	}
	what := n.kind.String()
	if n.kind == stringNode && len(n.text) < 30 {
		what = fmt.Sprintf("the string %q", n.text)
	}
	r.fail(path, "must be %s, not %s", kind, what)
	return false
}

func (r *reader) text(n *node, path string) string {
	switch {
	case !r.expect(n, path, stringNode):
	case strings.TrimSpace(n.text) == "":
		r.fail(path, "must not be empty")
	case len(n.text) > maxText:
		r.fail(path, "longer than %d bytes", maxText)
	case strings.ContainsFunc(n.text, func(c rune) bool { return c < ' ' || c == 0x7f }):
		r.fail(path, "must not hold control characters")
	default:
		return n.text
	}
	return ""
}

// number reads a number that is positive, or not negative.
func (r *reader) number(n *node, path string, mayBeZero bool) float64 {
	if !r.expect(n, path, numberNode) {
		return 0
	}
	v, err := strconv.ParseFloat(n.text, 64)
	switch {
	case err != nil || math.Abs(v) > 1e15:
		r.fail(path, "%.30s is beyond every GPU (1e15)", n.text)
	case v < 0 || v == 0 && !mayBeZero:
		r.fail(path, "must be %s, not %.30s", map[bool]string{true: "zero or positive", false: "positive"}[mayBeZero], n.text)
	case v != 0 && v < 1e-6:
		r.fail(path, "%.30s is too small to be true (1e-6)", n.text)
	default:
		return v
	}
	return 0
}

func (r *reader) whole(n *node, path string, mayBeZero bool) int {
	v := r.number(n, path, mayBeZero)
	if v != math.Trunc(v) {
		r.fail(path, "must be a whole number, not %.30s", n.text)
		return 0
	}
	return int(v)
}
