package ir

import "sort"

// sourcePlace is a place in the source that the PTX was compiled from, as a .loc names it:
// file is an index into Module.Files. The zero place is unknown.
type sourcePlace struct {
	file, line int32
}

// placeFrom says that a place holds from an instruction on, until the next one does.
type placeFrom struct {
	pc PC
	sourcePlace
}

// setPlace notes the place of the next instruction, pc. What was noted of it and of those
// behind it before is of a body that was given up.
func (m *Module) setPlace(pc PC, p sourcePlace) {
	if len(m.places) == 0 && p == (sourcePlace{}) {
		return
	}
	for n := len(m.places); n > 0 && m.places[n-1].pc >= pc; n-- {
		m.places = m.places[:n-1]
	}
	if p != m.placeOf(pc) {
		m.places = append(m.places, placeFrom{pc, p})
	}
}

// placeOf returns the place of an instruction.
func (m *Module) placeOf(pc PC) sourcePlace {
	n := sort.Search(len(m.places), func(i int) bool { return m.places[i].pc > pc })
	if n == 0 {
		return sourcePlace{}
	}
	return m.places[n-1].sourcePlace
}

// Source returns the file and the line that the .loc in force names for an instruction:
// "" and 0 where none does. A line of 0 stands for code that is nobody's.
func (m *Module) Source(pc PC) (file string, line int) {
	p := m.placeOf(pc)
	if p == (sourcePlace{}) {
		return "", 0
	}
	return m.Files[int(p.file)], int(p.line)
}
