package oracle

import "fmt"

// The ways of a value through calls, lanes and joins in programs whose threads share.

// giving is how many functions there are that give a value in a register.
const giving = 4

// giver writes function number i of those: (.reg .b32 o) gi(.reg .b32 i). Its result is
// a constant, one of several, or something else.
func (s *sharer) giver(i int) {
	s.line(".func (.reg .b32 o) g%d(.reg .b32 i)\n{\n.reg .pred %%p;\n.reg .b32 %%v;", i)
	s.line("setp.%s.u32 %%p, i, %d;", s.compare(), s.r.IntN(40))
	c, d := s.constant(), s.constant()
	switch s.r.IntN(7) {
	case 0, 1:
		s.line("mov.b32 o, %d;\nret;", c)
	case 2:
		s.line("mov.b32 o, %d;\n@%%p mov.b32 o, %d;\nret;", c, d)
	case 3:
		s.line("@%%p bra A;\nmov.b32 o, %d;\nret;\nA:\nmov.b32 o, %d;", c, d)
	case 4:
		s.line("add.u32 o, i, %d;\n@%%p ret;\nxor.b32 o, o, %d;\nret;", c, d)
	case 5:
		s.line("selp.b32 o, %d, i, %%p;\nret;", c)
	case 6:
		if i == 0 {
			s.line("mov.b32 o, i;\nret;")
			break
		}
		s.line("@%%p call (%%v), g%d, (i);\n@!%%p mov.b32 %%v, %d;\nmov.b32 o, %%v;\nret;", s.r.IntN(i), d)
	}
	s.line("}")
}

// giverCall calls one, perhaps by a part of the lanes, and returns where the result is.
func (s *sharer) giverCall() string {
	to := s.register()
	s.line("%scall (%s), g%d, (%s);", s.guard(), to, s.r.IntN(giving), s.operand())
	return to
}

// lanesMask returns the mask of the lanes that are here, "" if nobody knows it.
func (s *sharer) lanesMask() string {
	if s.exited {
		return ""
	}
	if s.mask == "-1" && s.r.IntN(4) == 0 {
		s.line("mov.b32 %%m, -1;")
		return "%m"
	}
	return s.mask
}

// collective exchanges registers between lanes.
func (s *sharer) collective() string { return s.exchanged(s.register()) }

// exchanged exchanges one, and returns where the result is.
func (s *sharer) exchanged(from string) string {
	mask := s.lanesMask()
	if s.masks && s.r.IntN(3) == 0 {
		s.line("activemask.b32 %%m;")
		mask = "%m"
		if s.r.IntN(3) == 0 {
			to := s.register()
			s.line("mov.b32 %s, %%m;", to)
			return to
		}
	}
	if mask == "" {
		return from
	}
	return s.exchangedBy(from, mask)
}

// exchangedBy exchanges one between the lanes of a mask.
func (s *sharer) exchangedBy(from, mask string) string {
	to := s.register()
	if mask != "-1" && s.r.IntN(3) == 0 {
		s.line("bar.warp.sync %s;", mask)
	}
	switch s.r.IntN(9) {
	case 0, 1:
		s.line("redux.sync.%s %s, %s, %s;", s.one("add.u32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32"), to, from, mask)
	case 2, 3:
		if mask != "-1" && s.careful { // the others' lanes are absent
			s.line("redux.sync.max.u32 %s, %s, %s;", to, from, mask)
			break
		}
		s.line("shfl.sync.%s %s%s, %s, %d, %s, %s;", s.one("bfly.b32", "idx.b32", "down.b32"), to, s.one("", fmt.Sprintf("|%%p%d", s.r.IntN(predicates))), from, s.r.IntN(32), s.one("31", "31", "0x181f"), mask)
	case 4:
		s.line("match.any.sync.b32 %s, %s, %s;", to, from, mask)
	case 5:
		s.line("match.all.sync.b32 %s|%%p%d, %s, %s;", to, s.r.IntN(predicates), from, mask)
	case 6:
		s.line("setp.%s.u32 %%q, %s, %d;\nvote.sync.%s.pred %%p%d, %%q, %s;\nselp.b32 %s, %s, 1, %%q;", s.compare(), from, s.constant(), s.one("any", "all", "uni"), s.r.IntN(predicates), mask, to, from)
	case 7:
		s.line("setp.%s.u32 %%q, %s, %d;\nvote.sync.ballot.b32 %s, %%q, %s;", s.compare(), from, s.constant(), to, mask)
	case 8:
		s.line("elect.sync %s|%%p%d, %s;", to, s.r.IntN(predicates), mask)
	}
	return to
}

// probe makes a value in a way of its own, hands it through the lanes or a choice, and
// branches on what comes out.
func (s *sharer) probe() {
	if s.apart > 2 {
		return
	}
	var v string
	switch s.r.IntN(4) {
	case 0, 1:
		v = s.giverCall()
	case 2:
		v = s.constants()
	case 3:
		v = s.register()
		a := &s.arrays[s.r.IntN(len(s.arrays))]
		if s.prepare(a, owned); a.mode == owned {
			s.ownAccess(a)
		}
	}
	if s.r.IntN(3) > 0 {
		v = s.exchanged(v)
	} else {
		v = s.choice(v)
	}
	p := s.r.IntN(predicates)
	s.line("setp.%s.u32 %%p%d, %s, %d;", s.compare(), p, v, s.constant())
	s.serial++
	n := s.serial
	s.line("@%%p%d bra P%d;", p, n)
	s.block()
	s.line("P%d:", n)
}

// choice picks one of a value and another.
func (s *sharer) choice(v string) string {
	to := s.register()
	if s.r.IntN(2) == 0 {
		s.line("selp.b32 %s, %s, %s, %%p%d;", to, v, s.operand(), s.r.IntN(predicates))
	} else {
		s.line("slct.b32.s32 %s, %s, %s, %s;", to, s.operand(), v, s.register())
	}
	return to
}

// choices is a chain of them.
func (s *sharer) choices() {
	v := s.register()
	for range 1 + s.r.IntN(4) {
		v = s.choice(v)
	}
}

// constants gives a register one of two constants, by a branch or a guard.
func (s *sharer) constants() string {
	to := s.register()
	s.line("mov.b32 %s, %d;", to, s.constant())
	if s.r.IntN(2) == 0 {
		s.line("@%s mov.b32 %s, %d;", s.predicate(), to, s.constant())
		return to
	}
	s.serial++
	s.line("@%s bra K%d;\nmov.b32 %s, %d;\nK%d:", s.predicate(), s.serial, to, s.constant(), s.serial)
	return to
}

// members is a branch whose lanes know who they are, so that they can exchange
// registers among themselves.
func (s *sharer) members() {
	if s.apart > 0 || s.exited {
		return
	}
	p := s.r.IntN(predicates)
	s.serial++
	n := s.serial
	s.line("vote.sync.ballot.b32 %%m, %%p%d, -1;\n@!%%p%d bra M%d;", p, p, n)
	s.apart++
	s.mask = "%m"
	for range 1 + s.r.IntN(3) {
		s.collective()
		s.statement()
	}
	s.apart--
	s.mask = "-1"
	s.line("M%d:", n)
}
