package machine

// A guarded load and a guarded move of a constant for the other case (@p ld r; @!p mov r, 0) leave
// one choice. The machine needs no selection for it, which would wait for the load: it moves the
// constant first, and the load writes over it in the lanes that load. So the move
// waits for nobody, and who reads the choice for both.

// preset returns the load, or the part of one, that writes over a constant where a choice is
// made so, else 0. Only the choice may want what it loads: its register holds both.
func (l *lister) preset(n id) (loaded id) {
	d := &l.nodes[n]
	if d.kind != selNode || d.imm == 1 {
		return 0
	}
	loaded, otherwise, negated := d.args[1], d.args[2], false
	if l.nodes[loaded].kind == constNode {
		loaded, otherwise, negated = otherwise, loaded, true
	}
	of := &l.nodes[loaded]
	whole := of
	if of.kind == partNode {
		whole = &l.nodes[of.args[0]]
	}
	if l.nodes[otherwise].kind != constNode || whole.kind != effectNode || whole.guard == 0 || of.uses != 1 || of.place != d.place {
		return 0
	}
	if same := whole.guard == d.args[0]; same == negated || negated && !l.opposite(whole.guard, d.args[0]) {
		return 0
	}
	return loaded
}

// opposite reports whether one predicate is the negation of the other.
func (l *lister) opposite(p, q id) bool {
	a, b := &l.nodes[p], &l.nodes[q]
	return a.kind == notNode && a.args[0] == q || b.kind == notNode && b.args[0] == p
}
