package oracle

import (
	"fmt"
	"strings"
)

// The accesses of memory in programs whose threads share it.

// needs returns the sync that it takes to go from the array's state to another.
func (a *array) needs(mode sharing, by int, op string, far bool) level {
	switch {
	case far != a.far:
		return clusterLevel
	case mode != a.mode || mode == reduced && op != a.op:
		return ctaLevel
	case mode != owned && mode != bytewise || by == a.by:
		return nobody
	case by^a.by < 8:
		return tileLevel
	case by^a.by < 32:
		return warpLevel
	case by^a.by < 64:
		return pairLevel
	}
	return ctaLevel
}

// access is one of an array, in the state that it has or, after a sync, in another.
func (s *sharer) access() {
	a := &s.arrays[s.r.IntN(len(s.arrays))]
	s.prepare(a, sharing([]int{0, 0, 0, 0, 1, 2, 3}[s.r.IntN(7)]))
	switch a.mode {
	case owned:
		s.ownAccess(a)
	case read:
		s.line("and.b32 %%x, %s, %d;", s.register(), s.words-1)
		s.address(a, "%x")
		s.line("%sld.%s.b32 %s, [%%d0];", s.guard(), s.strong(a), s.register())
	case reduced:
		s.reduction(a)
	case bytewise:
		s.line("xor.b32 %%x, %%id, %d;\ncvt.u64.u32 %%d0, %%x;\nadd.u64 %%d0, %s, %%d0;", a.by, a.base)
		if r := s.register(); s.r.IntN(2) == 0 {
			s.line("cvt.u16.u32 %%h, %s;\n%sst.%s.u8 [%%d0], %%h;", r, s.guard(), a.space)
		} else {
			s.line("mov.b16 %%h, 0;\n%sld.%s.u8 %%h, [%%d0];\ncvt.u32.u16 %s, %%h;", s.guard(), a.space, r)
		}
	}
}

// reduction adds to a word of an array that any thread may name; in programs that are
// not careful now and then in another way than the others.
func (s *sharer) reduction(a *array) {
	op := a.op
	if !s.careful && s.r.IntN(3) == 0 {
		op = s.one("add.u32", "min.u32", "min.s32", "inc.u32", "dec.u32", "exch.b32", "xor.b32")
	}
	s.line("and.b32 %%x, %s, %d;", s.register(), s.words-1)
	s.address(a, "%x")
	if s.r.IntN(3) == 0 || op == "exch.b32" { // what it returns is written over
		s.line("%satom.%s.%s %%x, [%%d0], %s;\nmov.b32 %%x, %d;", s.guard(), a.space, op, s.register(), s.constant())
		return
	}
	s.line("%sred.%s.%s [%%d0], %s;", s.guard(), a.space, op, s.register())
}

// contest: all threads change a few words, and read one of them when all have. In
// programs that are not careful they need not all do the same.
func (s *sharer) contest() {
	if !s.together() {
		return
	}
	a := &s.arrays[s.r.IntN(len(s.arrays))]
	s.sync(ctaLevel)
	a.mode, a.op = reduced, s.one("add.u32", "min.u32", "max.s32", "and.b32", "or.b32", "xor.b32")
	op := a.op
	for range 2 {
		s.line("and.b32 %%x, %s, 3;", s.register())
		s.address(a, "%x")
		s.line("%sred.%s.%s [%%d0], %s;", s.guard(), a.space, op, s.operand())
		if !s.careful {
			op = s.one("add.u32", "min.u32", "min.s32", "inc.u32", "xor.b32")
		}
	}
	s.sync(ctaLevel)
	a.mode, a.synced = read, nobody
	r := s.register()
	s.line("and.b32 %%x, %s, 3;", r)
	s.address(a, "%x")
	s.line("ld.%s.b32 %s, [%%d0];\nsetp.%s.u32 %%p%d, %s, %d;", a.space, r, s.compare(), s.r.IntN(predicates), r, s.constant())
}

// alike: all threads, or some, store one number to one word, and read it without a sync. In programs
// that are not careful some store another, or read what they have not stored. In clusters that is not
// said to be exact: what was there before may be another CTA's.
func (s *sharer) alike() {
	if s.raceless || !s.together() || s.careful && s.clusters {
		return
	}
	a := &s.arrays[s.r.IntN(len(s.arrays))]
	if s.careful || s.r.IntN(3) > 0 {
		s.sync(s.widest())
	}
	at, value, guard := 4*s.r.IntN(s.words), s.r.IntN(3), s.guard()
	s.line("%sst.%s.b32 [%s+%d], %d;", guard, a.space, a.base, at, value)
	if !s.careful && s.r.IntN(2) == 0 {
		s.line("%sst.%s.b32 [%s+%d], %d;", s.guard(), a.space, a.base, at, s.r.IntN(3))
	}
	if !s.careful && s.r.IntN(3) == 0 {
		guard = s.guard()
	}
	r := s.register()
	s.line("%sld.%s.b32 %s, [%s+%d];\nsetp.%s.u32 %%p%d, %s, 1;", guard, s.strong(a), r, a.base, at, s.compare(), s.r.IntN(predicates), r)
	if s.careful || s.r.IntN(3) > 0 {
		s.sync(s.widest())
	}
	a.mode, a.by, a.op, a.synced = owned, 0, "", nobody
}

// prepare brings an array into a state in which it may be accessed: a new one, where a
// sync can come before that needs one.
func (s *sharer) prepare(a *array, mode sharing) {
	if !s.together() && (s.careful || s.r.IntN(3) > 0) || s.r.IntN(3) == 0 {
		a.synced = nobody
		return
	}
	by, op := 0, ""
	switch mode {
	case owned, bytewise:
		switch by = s.r.IntN(s.words); s.r.IntN(4) {
		case 0:
			by = a.by&^31 | by&31 // of the same warp
		case 1:
			by = a.by&^7 | by&7 // of the same tile of it
		case 2:
			by = (a.by ^ (32 + by&31)) & (s.words - 1) // of the other warp of a pair
		}
	case reduced:
		op = s.one("add.u32", "min.u32", "max.s32", "and.b32", "or.b32", "xor.b32")
	}
	far := a.far
	if s.clusters && a.name != "" && s.r.IntN(3) == 0 {
		far = !far
	}
	if need := a.needs(mode, by, op, far); need > a.synced && s.together() && (s.careful || s.r.IntN(4) > 0) {
		s.sync(need)
	}
	a.mode, a.by, a.op, a.synced = mode, by, op, nobody
	a.turn(far)
}

// turn makes an array the own one, or that of the other CTA of the cluster.
func (a *array) turn(far bool) {
	switch a.far = far; {
	case a.name == "":
	case far:
		a.space, a.base = "shared::cluster", "%f"+a.name
	default:
		a.space, a.base = "shared", "%s"+a.name
	}
}

// strong returns the space of an array, before it perhaps what makes a load strong.
func (s *sharer) strong(a *array) string {
	return s.one("", "", "", "volatile.", "relaxed.cta.", "relaxed.gpu.", "acquire.cta.", "acquire.gpu.") + a.space
}

// ownAccess is one of the word that a thread has for itself; in programs that are not
// careful now and then one of any.
func (s *sharer) ownAccess(a *array) {
	s.line("xor.b32 %%x, %%id, %d;", a.by)
	if !s.careful && s.r.IntN(5) == 0 {
		s.line("and.b32 %%x, %s, %d;", s.one(s.register(), "%id"), s.words-1-s.r.IntN(2)*(s.words/2))
	}
	s.address(a, "%x")
	g, r := s.guard(), s.register()
	switch s.r.IntN(12) {
	case 0:
		s.line("%satom.%s.%s %s, [%%d0], %s;", g, a.space, s.one("add.u32", "exch.b32", "max.s32", "inc.u32", "min.u32", "dec.u32", "or.b32"), r, s.register())
	case 1:
		s.line("%satom.%s.cas.b32 %s, [%%d0], %s, %s;", g, a.space, r, s.operand(), s.register())
	case 2:
		s.line("%sred.%s.%s [%%d0], %s;", g, a.space, s.one("add.u32", "max.s32", "inc.u32", "xor.b32"), s.register())
	case 3:
		s.line("%sst.%s%s.b32 [%%d0], %s;", g, s.one("volatile.", "relaxed.cta.", "relaxed.gpu.", "release.cta.", "release.gpu."), a.space, r)
	case 4:
		n := s.r.IntN(4)
		s.line("cvt.u16.u32 %%h, %s;\n%sst.%s.u8 [%%d0+%d], %%h;", r, g, a.space, n)
	case 5:
		s.line("mov.b16 %%h, 0;\n%sld.%s.u16 %%h, [%%d0+%d];\ncvt.u32.u16 %s, %%h;", g, a.space, 2*s.r.IntN(2), r)
	case 6, 7, 8:
		s.line("%sst.%s.b32 [%%d0], %s;", g, a.space, r)
	default:
		s.line("%sld.%s.b32 %s, [%%d0];", g, s.strong(a), r)
	}
}

// pipeline copies into the shared arrays without waiting, and waits for one after the
// other. They are the own ones: cp.async writes .shared::cta (PTX ISA 9.7.10.28.3.1).
func (s *sharer) pipeline() {
	if !s.together() {
		return
	}
	for i := range 2 {
		a := &s.arrays[i]
		s.prepare(a, owned)
		if a.mode != owned || a.far {
			return
		}
	}
	g := s.guard()
	for i := range 2 {
		a := &s.arrays[i]
		s.line("xor.b32 %%x, %%id, %d;", a.by)
		s.address(a, "%x")
		s.line("%scp.async.ca.shared.global [%%d0], [%%out+%d], 4;\ncp.async.commit_group;", g, 4*s.r.IntN(slotWords))
	}
	s.arithmetic("")
	waits := []string{"cp.async.wait_group 1;", s.one("cp.async.wait_group 0;", "cp.async.wait_all;")}
	for i := range 2 {
		if s.careful || s.r.IntN(3) > 0 {
			s.line("%s", waits[i])
		}
		s.ownAccess(&s.arrays[i])
		s.arrays[i].synced = nobody
	}
	s.line("cp.async.wait_all;")
}

// object is an mbarrier at which all threads arrive. Whether its phase is over then
// decides; who asks before a barrier of all threads finds what it happens to find, unless
// it is suspended until it is.
func (s *sharer) object() {
	if !s.together() || s.loops > 0 {
		return
	}
	if s.phase < 0 {
		s.line("@%%first mbarrier.init.shared.b64 [mb], %d;\nbar.sync 0;", s.threads)
		s.phase = 0
	}
	s.line("mbarrier.arrive.shared.b64 %%state, [mb];")
	test := fmt.Sprintf("%%q, [mb], %%state;")
	kind := s.one("test_wait", "try_wait")
	if s.r.IntN(2) == 0 {
		kind, test = kind+".parity", fmt.Sprintf("%%q, [mb], %d;", s.phase&1)
	}
	s.phase++
	s.serial++
	n := s.serial
	suspends := strings.HasPrefix(kind, "try_wait") && s.r.IntN(2) == 0
	if !suspends && (s.careful || s.r.IntN(3) == 0) {
		s.sync(ctaLevel)
	}
	if suspends || !s.careful && s.r.IntN(2) == 0 { // wait for it
		s.line("W%d:\nmbarrier.%s.shared.b64 %s\n@!%%q bra W%d;", n, kind, test, n)
		for i := range s.arrays {
			s.arrays[i].synced = ctaLevel
		}
		return
	}
	s.line("mbarrier.%s.shared.b64 %s\n@%%q bra W%d;", kind, test, n)
	s.block()
	s.line("W%d:", n)
	if !s.careful {
		s.line("bar.sync 0;") // nobody may be a phase behind
	}
}

// handOver: the even warps arrive at a barrier, the odd ones wait there for them and
// read what they have left.
func (s *sharer) handOver() {
	if !s.together() || s.threads%64 != 0 {
		return
	}
	a := &s.arrays[s.r.IntN(len(s.arrays))]
	s.sync(ctaLevel)
	a.mode, a.by, a.op = owned, 0, ""
	s.serial++
	n := s.serial
	s.line("and.b32 %%x, %%id, 32;\nsetp.ne.u32 %%q, %%x, 0;\nxor.b32 %%x, %%id, %d;", 32+s.r.IntN(32))
	s.line("@!%%q mov.b32 %%x, %%id;")
	s.address(a, "%x")
	s.line("@%%q bra H%d;\n%sst.%s.b32 [%%d0], %s;", n, s.guard(), a.space, s.register())
	bar := 5 + s.r.IntN(3)
	if s.careful || s.r.IntN(3) > 0 {
		s.line("bar.arrive %d, %d;\nbra.uni J%d;\nH%d:\nbar.sync %d, %d;", bar, s.threads, n, n, bar, s.threads)
	} else {
		s.line("bra.uni J%d;\nH%d:", n, n)
	}
	s.line("ld.%s.b32 %s, [%%d0];\nJ%d:", a.space, s.register(), n)
	s.line("bar.sync 0;")
	for i := range s.arrays {
		s.arrays[i].synced = ctaLevel
	}
}
