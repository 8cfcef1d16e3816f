package gpu

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"hyptx/internal/pipe"
	"hyptx/internal/strictjson"
)

// A file says of timing what it knows; what it leaves out is known from elsewhere.
// So there is no struct of optional facts beside [Timing], whose fields and tags
// are the format, but a map from paths to facts: "kinds.fp32.latency_cycles".

// Given is what a file says of timing, by path.
type Given map[string]*Fact[any]

// MarshalJSON writes the facts in groups, as files have them.
func (g Given) MarshalJSON() ([]byte, error) {
	root := map[string]any{}
	for path, f := range g {
		at := root
		keys := strings.Split(path, ".")
		for _, k := range keys[:len(keys)-1] {
			if at[k] == nil {
				at[k] = map[string]any{}
			}
			at = at[k].(map[string]any)
		}
		at[keys[len(keys)-1]] = f
	}
	return json.Marshal(root)
}

// given reads the facts of timing that a file has; every key may be left out.
func (r *reader) given(n *strictjson.Node, path string) Given {
	g := Given{}
	r.givenGroup(g, reflect.TypeFor[Timing](), n, path, "")
	return g
}

func (r *reader) givenGroup(g Given, t reflect.Type, n *strictjson.Node, path, at string) {
	members := membersOf(t)
	var names []string
	for _, m := range members {
		names = append(names, m.key)
	}
	o, ok := strictjson.NewObject(&r.List, n, path, names...)
	if !ok {
		return
	}
	for _, m := range members {
		e := o.Get(m.key)
		switch to := strictjson.KeyPath(at, m.key); {
		case e == nil:
		case isGroup(m.of):
			r.givenGroup(g, m.of, e, o.At(m.key), to)
		default:
			if f := fact(r, e, o.At(m.key), func(n *strictjson.Node, path string) any { return r.leaf(m, n, path) }); f != nil {
				g[to] = f
			}
		}
	}
}

// leaf reads a value of a field's type.
func (r *reader) leaf(m member, n *strictjson.Node, path string) any {
	switch {
	case m.words != nil:
		return r.Word(n, path, m.words...)
	case m.of.Kind() == reflect.Bool:
		return r.Expect(n, path, strictjson.Bool) && n.Text == "true"
	case m.of.Kind() == reflect.Int:
		return float64(r.whole(n, path, m.may == "zero"))
	default:
		return r.number(n, path, m.may != "")
	}
}

// member is a field of a group, or a place of an array whose index has a name.
type member struct {
	key   string
	of    reflect.Type
	may   string   // "zero" or "lack", as tagged
	words []string // that a text or unit can be; nil for numbers
	index int
}

// membersOf returns what a group of [Timing] consists of.
func membersOf(t reflect.Type) []member {
	var list []member
	if t.Kind() == reflect.Array {
		for i, name := range indexNames[t.Len()] {
			list = append(list, member{key: name, of: t.Elem(), may: "zero", index: i})
		}
		return list
	}
	for i := range t.NumField() {
		f := t.Field(i)
		if keyOf(f) == "-" {
			continue
		}
		m := member{key: keyOf(f), of: f.Type, may: f.Tag.Get("may"), index: i}
		if f.Type == reflect.TypeFor[Unit]() {
			m.words = unitNames[:]
		} else if f.Type.Kind() == reflect.String {
			m.words = strings.Fields(f.Tag.Get("words"))
		}
		list = append(list, m)
	}
	return list
}

// indexNames are the names of the places of arrays, by their length.
var indexNames = map[int][]string{
	int(pipe.NumKinds):       namesOf[pipe.Kind](int(pipe.NumKinds)),
	int(pipe.NumMatrixTypes): namesOf[pipe.MatrixType](int(pipe.NumMatrixTypes)),
	NumWidths:                widthNames[:],
}

func namesOf[T interface {
	~uint8
	String() string
}](n int) []string {
	var names []string
	for i := range n {
		names = append(names, T(i).String())
	}
	return names
}

func isGroup(t reflect.Type) bool { return t.Kind() == reflect.Struct || t.Kind() == reflect.Array }

// place is a number of a [Timing], to be filled.
type place struct {
	member
	path string
	to   reflect.Value
}

// places returns all numbers of a [Timing], in its order: what a number is derived
// from stands before it.
func (t *Timing) places() []place {
	var list []place
	var visit func(v reflect.Value, at string)
	visit = func(v reflect.Value, at string) {
		for _, m := range membersOf(v.Type()) {
			path := strictjson.KeyPath(at, m.key)
			e := element(v, m.index)
			if isGroup(m.of) {
				visit(e, path)
			} else {
				list = append(list, place{m, path, e})
			}
		}
	}
	visit(reflect.ValueOf(t).Elem(), "")
	return list
}

func element(v reflect.Value, i int) reflect.Value {
	if v.Kind() == reflect.Array {
		return v.Index(i)
	}
	return v.Field(i)
}

// set fills the place with a fact's value, which the reader has checked.
func (p place) set(value any) {
	switch v := value.(type) {
	case bool:
		p.to.SetBool(v)
	case string:
		if p.to.Kind() == reflect.String {
			p.to.SetString(v)
		} else {
			p.to.SetUint(uint64(slices.Index(unitNames[:], v)))
		}
	case float64:
		if p.to.Kind() == reflect.Int {
			p.to.SetInt(int64(v))
		} else {
			p.to.SetFloat(v)
		}
	}
}
