package parser

import (
	"bytes"
	"fmt"
	"reflect"
	"testing"
)

// difference compares two trees apart from positions and gives the path of the
// first difference, "" when they are equal.
func difference(a, b *Module) string {
	return differ("module", reflect.ValueOf(a), reflect.ValueOf(b))
}

var posType = reflect.TypeFor[Pos]()

func differ(path string, a, b reflect.Value) string {
	if a.Type() != b.Type() {
		return fmt.Sprintf("%s: %s and %s", path, a.Type(), b.Type())
	}
	if a.Type() == posType {
		return ""
	}
	switch a.Kind() {
	case reflect.Pointer, reflect.Interface:
		if a.IsNil() || b.IsNil() {
			if a.IsNil() != b.IsNil() {
				return path + ": one is nil"
			}
			return ""
		}
		return differ(path, a.Elem(), b.Elem())
	case reflect.Slice:
		if a.IsNil() != b.IsNil() || a.Len() != b.Len() {
			return fmt.Sprintf("%s: lengths %d and %d, nil %v and %v", path, a.Len(), b.Len(), a.IsNil(), b.IsNil())
		}
		fallthrough
	case reflect.Array:
		for i := range a.Len() {
			if d := differ(fmt.Sprintf("%s[%d]", path, i), a.Index(i), b.Index(i)); d != "" {
				return d
			}
		}
		return ""
	case reflect.Struct:
		for i := range a.NumField() {
			if d := differ(path+"."+a.Type().Field(i).Name, a.Field(i), b.Field(i)); d != "" {
				return d
			}
		}
		return ""
	}
	if !a.Equal(b) {
		return fmt.Sprintf("%s: %v and %v", path, a, b)
	}
	return ""
}

// roundTrip parses, prints and parses again; the trees must be equal.
func roundTrip(tb testing.TB, file string, src []byte) *Module {
	tb.Helper()
	m, err := Parse(file, src)
	if err != nil {
		tb.Fatalf("%v\n%s", err, head(src))
	}
	var text bytes.Buffer
	if err := printTree(&text, m); err != nil {
		tb.Fatal(err)
	}
	again, err := Parse(file, text.Bytes())
	if err != nil {
		tb.Fatalf("what Print wrote does not parse: %v\n%s", err, head(text.Bytes()))
	}
	if d := difference(m, again); d != "" {
		tb.Fatalf("parse, print, parse changes the tree: %s\nprinted:\n%s", d, head(text.Bytes()))
	}
	return m
}

func head(text []byte) []byte { return text[:min(len(text), 4000)] }

// body wraps statements into a kernel whose first statement stands on line 2.
func body(statements string) []byte {
	return []byte(".version 8.0 .target sm_80 .entry k() {\n" + statements + "\n}\n")
}

// parseBody gives the statements of a kernel after a round trip.
func parseBody(tb testing.TB, statements string) []Stmt {
	tb.Helper()
	m := roundTrip(tb, "body.ptx", body(statements))
	return m.Items[0].(*Function).Body.Stmts
}

// one gives the only statement of a kernel, as a T.
func one[T Stmt](tb testing.TB, statement string) T {
	tb.Helper()
	stmts := parseBody(tb, statement)
	if len(stmts) != 1 {
		tb.Fatalf("%q gives %d statements", statement, len(stmts))
	}
	s, ok := stmts[0].(T)
	if !ok {
		tb.Fatalf("%q gives a %T", statement, stmts[0])
	}
	return s
}

// item gives the only item of a module, as a T.
func item[T Item](tb testing.TB, text string) T {
	tb.Helper()
	m := roundTrip(tb, "item.ptx", []byte(".version 8.0\n"+text))
	if len(m.Items) != 1 {
		tb.Fatalf("%q gives %d items", text, len(m.Items))
	}
	it, ok := m.Items[0].(T)
	if !ok {
		tb.Fatalf("%q gives a %T", text, m.Items[0])
	}
	return it
}

func TestDifferenceSeesEveryField(t *testing.T) {
	a := item[*Variable](t, ".global .u32 a[4] = {1, 2};")
	for _, text := range []string{
		".global .u32 b[4] = {1, 2};", ".const .u32 a[4] = {1, 2};", ".global .s32 a[4] = {1, 2};",
		".global .u32 a[5] = {1, 2};", ".global .u32 a[4] = {1, 3};", ".global .u32 a[4] = {1};",
		".global .u32 a[4];", ".global .align 4 .u32 a[4] = {1, 2};",
	} {
		b := item[*Variable](t, text)
		if differ("", reflect.ValueOf(a), reflect.ValueOf(b)) == "" {
			t.Errorf("no difference seen in %s", text)
		}
	}
}
