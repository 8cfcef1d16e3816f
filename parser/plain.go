package parser

import "github.com/alecthomas/participle/v2/lexer"

// The plain forms of directives in bodies. Reading them by the grammar takes
// microseconds each, and code with line numbers or with calls has as many of
// them as instructions. The grammar knows these forms too, and a test compares
// what both make of them. Whatever deviates from a plain form, an alignment or an
// inlined_at, sends the tokens back to where they were, and the grammar reads them.

// plain reads a directive of plain form; nil means that it has another.
func (r *bodyReader) plain(t *lexer.Token) Stmt {
	switch t.Value {
	case ".loc":
		if loc := r.plainLoc(t); loc != nil {
			return loc
		}
	case ".reg", ".param", ".local", ".shared":
		if v := r.plainVariable(t); v != nil {
			return v
		}
	}
	return nil
}

// plainLoc reads .loc file line column without attributes.
func (r *bodyReader) plainLoc(t *lexer.Token) *LocDirective {
	p := tokenPos(t.Pos)
	r.tokens.Next()
	var n [3]int
	for i := range n {
		v := r.tokens.Next()
		e := Expr{}
		if v.Type != tokInt || setInt(&e, v.Value) != nil || e.Bits > 1<<31-1 {
			return nil
		}
		n[i] = int(e.Bits)
	}
	if r.tokens.Peek().Value == "," {
		return nil
	}
	loc := r.cursor.nodes.loc()
	loc.Pos, loc.File, loc.Line, loc.Col = p, n[0], n[1], n[2]
	return loc
}

// plainVariable reads .space .type name, name<N>, ... ; without alignments,
// vectors, arrays and initialisers.
func (r *bodyReader) plainVariable(t *lexer.Token) *Variable {
	v := &Variable{Pos: tokenPos(t.Pos), Space: t.Value[1:]}
	r.tokens.Next()
	typ := r.tokens.Next()
	if typ.Type != tokType {
		return nil
	}
	v.Type = typ.Value[1:]
	for {
		name := r.tokens.Next()
		if name.Type != tokName {
			return nil
		}
		d := Declarator{Pos: tokenPos(name.Pos), Name: name.Value}
		mark := r.tokens.Next()
		if mark.Value == "<" {
			if d.Count = r.plainCount(); d.Count == nil {
				return nil
			}
			mark = r.tokens.Next()
		}
		v.Names = append(v.Names, d)
		switch {
		case mark.Type == tokPunct && mark.Value == ";":
			return v
		case mark.Type != tokPunct || mark.Value != ",":
			return nil
		}
	}
}

// plainCount reads N> where N is an integer.
func (r *bodyReader) plainCount() *Expr {
	n := r.tokens.Next()
	if n.Type != tokInt || r.tokens.Next().Value != ">" {
		return nil
	}
	e := r.cursor.nodes.expr()
	e.Pos = tokenPos(n.Pos)
	if setInt(e, n.Value) != nil {
		return nil
	}
	return e
}
