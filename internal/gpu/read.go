package gpu

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"hyptx/internal/strictjson"
)

// limits are of a GPU's file.
var limits = strictjson.Limits{Bytes: maxFileBytes, Values: maxFileBytes, Nesting: 8, Advice: "this is no GPU's file"}

const (
	maxFileBytes = 1 << 20
	maxText      = 500 // bytes of one string
)

// The fields of [GPU] and their tags are the format of the file: a field that is
// added there is read, checked, listed by `hyptx gpus` and asked for in every file,
// without a line here. Package reflect is slow, but a file has 80 numbers.

// reader fills a GPU from a file's JSON and collects what is wrong with it.
type reader struct {
	strictjson.List
	data []byte
}

// Read reads the JSON of a GPU's file; file is its name for messages. Every key
// must be there and no other; an unknown number is null. The error is a
// [strictjson.Errors].
func Read(file string, data []byte) (*GPU, error) {
	r := &reader{strictjson.List{File: file}, data}
	g := &GPU{}
	if n := strictjson.Parse(data, limits, &r.List); n != nil {
		r.group(reflect.ValueOf(g).Elem(), n, "")
	}
	if r.Err() == nil {
		r.check(g)
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	return g, nil
}

// group fills a struct from an object with exactly its keys.
func (r *reader) group(v reflect.Value, n *strictjson.Node, path string) {
	var names []string
	for _, f := range stored(v.Type()) {
		names = append(names, keyOf(f))
	}
	o, ok := strictjson.NewObject(&r.List, n, path, names...)
	if !ok {
		return
	}
	for _, f := range stored(v.Type()) {
		key, field := keyOf(f), v.FieldByIndex(f.Index)
		if e := o.Get(key); e == nil {
			if f.Tag.Get("may") == "lack" || strings.HasSuffix(f.Tag.Get("json"), ",omitempty") {
				continue
			}
			r.Fail(path, "lacks the key %q; a number that is not known is null", key)
		} else {
			r.field(field, e, o.At(key), f.Tag.Get("may") == "zero")
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

func (r *reader) field(v reflect.Value, n *strictjson.Node, path string, mayBeZero bool) {
	switch p := v.Addr().Interface().(type) {
	case *json.RawMessage:
		*p = n.Raw(r.data)
	case *Given:
		*p = r.given(n, path)
	case *string:
		*p = r.text(n, path)
	case *[]string:
		*p = each(r, n, path, r.text)
	case **Text:
		*p = fact(r, n, path, r.text)
	case **Bool:
		*p = fact(r, n, path, func(n *strictjson.Node, path string) bool {
			return r.Expect(n, path, strictjson.Bool) && n.Text == "true"
		})
	case **Float:
		*p = fact(r, n, path, func(n *strictjson.Node, path string) float64 { return r.number(n, path, mayBeZero) })
	case **Int:
		*p = fact(r, n, path, func(n *strictjson.Node, path string) int { return r.whole(n, path, mayBeZero) })
	case **Ints:
		*p = fact(r, n, path, func(n *strictjson.Node, path string) []int {
			return each(r, n, path, func(n *strictjson.Node, path string) int { return r.whole(n, path, true) })
		})
	default:
		r.group(v, n, path)
	}
}

// fact reads {"value": ..., "source": "..."} or null.
func fact[T any](r *reader, n *strictjson.Node, path string, value func(*strictjson.Node, string) T) *Fact[T] {
	if n.Kind == strictjson.Null {
		return nil
	}
	if n.Kind != strictjson.Map {
		r.Fail(path, `must be {"value": ..., "source": "..."} or null, not %s`, n.Kind)
		return nil
	}
	o, _ := strictjson.NewObject(&r.List, n, path, "value", "source")
	f := &Fact[T]{}
	if v := o.Need("value"); v == nil {
	} else if v.Kind == strictjson.Null {
		r.Fail(path, `"value": null: a number that is not known is null as a whole: "%s": null`, path[strings.LastIndexByte(path, '.')+1:])
	} else {
		f.Value = value(v, o.At("value"))
	}
	if s := o.Get("source"); s == nil {
		r.Fail(path, `lacks the key "source": which document states the number?`)
	} else {
		f.Source = r.text(s, o.At("source"))
	}
	return f
}

// each reads the elements of a list.
func each[T any](r *reader, n *strictjson.Node, path string, one func(*strictjson.Node, string) T) []T {
	list := []T{}
	if r.Expect(n, path, strictjson.Array) {
		for i, e := range n.List {
			list = append(list, one(e, strictjson.ElementPath(path, i)))
		}
	}
	return list
}

func (r *reader) text(n *strictjson.Node, path string) string {
	switch {
	case !r.Expect(n, path, strictjson.String):
	case strings.TrimSpace(n.Text) == "":
		r.Fail(path, "must not be empty")
	case len(n.Text) > maxText:
		r.Fail(path, "longer than %d bytes", maxText)
	case strings.ContainsFunc(n.Text, func(c rune) bool { return c < ' ' || c == 0x7f }):
		r.Fail(path, "must not hold control characters")
	default:
		return n.Text
	}
	return ""
}

// number reads a number that is positive, or not negative.
func (r *reader) number(n *strictjson.Node, path string, mayBeZero bool) float64 {
	if !r.Expect(n, path, strictjson.Number) {
		return 0
	}
	v, err := strconv.ParseFloat(n.Text, 64)
	switch {
	case err != nil || math.Abs(v) > 1e15:
		r.Fail(path, "%.30s is beyond every GPU (1e15)", n.Text)
	case v < 0 || v == 0 && !mayBeZero:
		r.Fail(path, "must be %s, not %.30s", map[bool]string{true: "zero or positive", false: "positive"}[mayBeZero], n.Text)
	case v != 0 && v < 1e-6:
		r.Fail(path, "%.30s is too small to be true (1e-6)", n.Text)
	default:
		return v
	}
	return 0
}

func (r *reader) whole(n *strictjson.Node, path string, mayBeZero bool) int {
	v := r.number(n, path, mayBeZero)
	if v != math.Trunc(v) {
		r.Fail(path, "must be a whole number, not %.30s", n.Text)
		return 0
	}
	return int(v)
}
