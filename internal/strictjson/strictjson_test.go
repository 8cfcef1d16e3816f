package strictjson

import (
	"errors"
	"strings"
	"testing"
)

var small = Limits{Bytes: 200, Values: 20, Nesting: 3, Advice: "split it"}

// TestParseErrors: what is wrong with a text, and where.
func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		``:                                       "f.json:1:1: not valid JSON: unexpected end of JSON input",
		"{\n \"a\": nan}":                        "f.json:2:8: not valid JSON: invalid character 'a'",
		`{"a": 1} x`:                             "f.json:1:10: not valid JSON: invalid character 'x' after top-level value",
		"\"\xff\"":                               "f.json: not UTF-8 text",
		strings.Repeat(" ", 201):                 "f.json: more than 200 bytes; split it",
		"[" + strings.Repeat("0,", 19) + "0]":    "f.json: more than 20 JSON values; split it",
		"[[[[]]]]":                               "f.json: nested more than 3 deep",
		`{"a": [0, {"b c": 1, "b c": 2}]}`:       `f.json: a[1]["b c"]: the key stands twice`,
		`{"a": 1, "a": 2, "b": {"c": 1,"c": 2}}`: "f.json: a: the key stands twice\nf.json: b.c: the key stands twice",
	} {
		errs := &List{File: "f.json"}
		Parse([]byte(text), small, errs)
		if err := errs.Err(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	errs := &List{}
	if n := Parse([]byte("["+strings.Repeat("0,", 18)+"0]"), small, errs); n == nil || len(n.List) != 19 || errs.Err() != nil {
		t.Errorf("20 values: %v, %v", n, errs.Err())
	}
}

// TestNode: the tree keeps what encoding/json forgets.
func TestNode(t *testing.T) {
	text := []byte(` {"z": 1.50, "a": [true, null, "x"], "m": {"q": 9007199254740993}} `)
	errs := &List{}
	n := Parse(text, small, errs)
	if errs.Err() != nil || strings.Join(n.Keys, "") != "zam" || n.Get("z").Text != "1.50" || n.Get("b") != nil {
		t.Fatalf("%+v, %v", n, errs.Err())
	}
	a := n.Get("a")
	if a.List[0].Kind != Bool || a.List[0].Text != "true" || a.List[1].Kind != Null || a.List[2].Kind != String {
		t.Errorf("%+v", a.List)
	}
	if got := string(n.Get("m").Raw(text)); got != `{"q": 9007199254740993}` {
		t.Errorf("raw: %s", got)
	}
}

// TestObject reads an object whose keys are mostly wrong: every one is told,
// with its path.
func TestObject(t *testing.T) {
	errs := &List{File: "f"}
	n := Parse([]byte(`{"s": 1, "i": 1.5, "c": "up", "l": {}, "b": "yes", "n": [1, 9], "u": 0}`), small, errs)
	o, ok := NewObject(errs, n, "top", "s", "i", "c", "l", "b", "n", "v")
	if !ok {
		t.Fatal("no object")
	}
	o.String("s")
	o.Integer("i", 0, 10, 0)
	o.Choice("c", "left", "right")
	o.Elements("l")
	o.Flag("b")
	o.Integers("n", 0, 5, 2)
	o.Need("v")
	o.One("s", "i")
	want := `f: top: unknown key "u"; known here: s, i, c, l, b, n, v
f: top.s: must be a string, not a number
f: top.i: 1.5 must be a whole number between 0 and 10
f: top.c: "up" is none of left, right
f: top.l: must be a list, not an object
f: top.b: must be true or false, not the string "yes"
f: top.n[1]: 9 must be a whole number between 0 and 5
f: top: lacks the key "v"
f: top: the keys s and i exclude each other`
	if got := errs.Err().Error(); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// TestList: errors end with a count, and silent places stay so.
func TestList(t *testing.T) {
	l := &List{Silent: []string{"a"}}
	l.Fail("a.b", "x")
	l.Fail("a[1]", "x")
	if l.Err() != nil {
		t.Errorf("silent: %v", l.Err())
	}
	cause := errors.New("x")
	l.Fail("ab", "%w", cause)
	for range 2 * MaxErrors {
		l.Fail("b", "y")
	}
	var all Errors
	if !errors.As(l.Err(), &all) || len(all) != MaxErrors+1 || !errors.Is(l.Err(), cause) {
		t.Errorf("%d errors: %v", len(all), l.Err())
	}
}

// TestInto: a struct's errors speak of the file, not of Go.
func TestInto(t *testing.T) {
	type inner struct {
		N int `json:"n"`
	}
	for text, want := range map[string]string{
		`{"list": [{"n": 1}], "f": 2}`: "",
		`{"list": [{"m": 1}]}`:         `p: unknown key "m"`,
		`{"list": {}}`:                 "p.list: must be a list, not an object",
		`{"list": [{"n": "x"}]}`:       "p.list.n: must be a whole number, not a string",
		`{"f": true}`:                  "p.f: must be a number, not true or false",
		`[]`:                           "p: must be an object, not a list",
		`{} {}`:                        "p: something follows the JSON value",
		`{`:                            "p: unexpected EOF",
	} {
		var v struct {
			List []inner `json:"list"`
			F    float64 `json:"f"`
		}
		got := ""
		if err := Into([]byte(text), "p", &v); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
