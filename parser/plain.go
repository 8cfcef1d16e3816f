package parser

import "github.com/alecthomas/participle/v2/lexer"

// The plain forms of directives in bodies. Reading them by the grammar takes
// microseconds each, and code with line numbers or with calls has as many of
// them as instructions. The grammar knows these forms too, and a test compares
// what both make of them.

// plain reads a directive of plain form; nil means that it has another.
func (b *bodyRule) plain(t *lexer.Token) Stmt {
	switch t.Value {
	case ".loc":
		if loc := b.plainLoc(t); loc != nil {
			return loc
		}
	case ".reg", ".param", ".local", ".shared":
		if v := b.plainVariable(t); v != nil {
			return v
		}
	}
	return nil
}

// plainLoc reads .loc file line column without attributes.
func (b *bodyRule) plainLoc(t *lexer.Token) *LocDirective {
	p := tokenPos(t.Pos)
	b.tokens.Next()
	var n [3]int
	for i := range n {
		v := b.tokens.Next()
		e := Expr{}
		if v.Type != tokInt || setInt(&e, v.Value) != nil || e.Bits > 1<<31-1 {
			return nil
		}
		n[i] = int(e.Bits)
	}
	if b.tokens.Peek().Value == "," {
		return nil
	}
	loc := b.cursor.nodes.loc()
	loc.Pos, loc.File, loc.Line, loc.Col = p, n[0], n[1], n[2]
	return loc
}

// plainVariable reads .space .type name, name<N>, ... ; without alignments,
// vectors, arrays and initialisers.
func (b *bodyRule) plainVariable(t *lexer.Token) *Variable {
	v := &Variable{Pos: tokenPos(t.Pos), Space: t.Value[1:]}
	b.tokens.Next()
	typ := b.tokens.Next()
	if typ.Type != tokType {
		return nil
	}
	v.Type = typ.Value[1:]
	for {
		name := b.tokens.Next()
		if name.Type != tokName {
			return nil
		}
		d := Declarator{Pos: tokenPos(name.Pos), Name: name.Value}
		mark := b.tokens.Next()
		if mark.Value == "<" {
			if d.Count = b.plainCount(); d.Count == nil {
				return nil
			}
			mark = b.tokens.Next()
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
func (b *bodyRule) plainCount() *Expr {
	n := b.tokens.Next()
	if n.Type != tokInt || b.tokens.Next().Value != ">" {
		return nil
	}
	e := b.cursor.nodes.expr()
	e.Pos = tokenPos(n.Pos)
	if setInt(e, n.Value) != nil {
		return nil
	}
	return e
}
