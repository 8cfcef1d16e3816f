// Package columns reads what the columns of a CSV file are from the type of its
// rows: a field's tags `csv` (the name) and `doc` (one sentence). docs/columns.md
// and the lists of columns that commands print are made of it, so that a column
// is described where it is declared, and nowhere else.
//
// A doc of "^" says that the column belongs to the one above: both are described
// by the same sentence.
package columns

import "reflect"

// Column is a column of a file.
type Column struct {
	Name string
	// Doc says what it counts; "" if the row's type does not.
	Doc string
	// With are the columns before it that share its description, and it is not
	// the first of them.
	Joined bool
}

// Of returns the columns of a row's type, in order. row is a struct or a pointer
// to one; embedded structs are read through.
func Of(row any) []Column {
	t := reflect.TypeOf(row)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return appendOf(nil, t)
}

func appendOf(cs []Column, t reflect.Type) []Column {
	for i := range t.NumField() {
		f := t.Field(i)
		name, tagged := f.Tag.Lookup("csv")
		switch {
		case f.Anonymous && !tagged:
			cs = appendOf(cs, f.Type)
		case tagged && name != "-":
			doc := f.Tag.Get("doc")
			if doc == "^" && len(cs) > 0 {
				cs = append(cs, Column{Name: name, Doc: cs[len(cs)-1].Doc, Joined: true})
				continue
			}
			cs = append(cs, Column{Name: name, Doc: doc})
		}
	}
	return cs
}
