package oracle

// message: one thread leaves a word and then says so in another; a second thread asks
// whether it has, and reads the word: if it has, or in any case. What it has heard it may
// keep, look at for something else, or never look at. No way to do so is in order.
func (s *sharer) message() {
	if s.careful || !s.together() {
		return
	}
	a := &s.arrays[s.r.IntN(len(s.arrays))]
	s.sync(ctaLevel)
	word := s.r.IntN(s.words)
	flag := (word + 1 + s.r.IntN(s.words-1)) % s.words
	scope := s.one("cta", "gpu")
	s.line("setp.eq.u32 %%q, %%id, %d;", s.r.IntN(s.threads))
	s.line("@%%q st.%s.b32 [%s+%d], %s;", a.space, a.base, 4*word, s.register())
	switch s.r.IntN(4) {
	case 0:
		s.line("@%%q st.release.%s.%s.b32 [%s+%d], %s;", scope, a.space, a.base, 4*flag, s.operand())
	case 1:
		s.line("fence.acq_rel.%s;\n@%%q st.relaxed.%s.%s.b32 [%s+%d], %s;", scope, scope, a.space, a.base, 4*flag, s.operand())
	case 2:
		s.line("@%%q red.release.%s.%s.add.u32 [%s+%d], 1;", scope, a.space, a.base, 4*flag)
	case 3:
		s.line("@%%q atom.acq_rel.%s.%s.exch.b32 %s, [%s+%d], %s;", scope, a.space, s.register(), a.base, 4*flag, s.operand())
	}
	s.line("setp.eq.u32 %%q, %%id, %d;", s.r.IntN(s.threads))
	heard := s.register()
	if s.r.IntN(2) == 0 {
		s.line("@%%q ld.acquire.%s.%s.b32 %s, [%s+%d];", scope, a.space, heard, a.base, 4*flag)
	} else {
		s.line("@%%q ld.relaxed.%s.%s.b32 %s, [%s+%d];\nfence.acq_rel.%s;", scope, a.space, heard, a.base, 4*flag, scope)
	}
	switch s.r.IntN(4) {
	case 0: // it decides
		s.line("setp.%s.and.u32 %%q, %s, %d, %%q;", s.compare(), heard, s.constant())
	case 1: // it is an address
		s.line("and.b32 %%x, %s, %d;\nmul.wide.u32 %%d0, %%x, 4;\nadd.u64 %%d0, %%out, %%d0;\n@%%q ld.global.b32 %s, [%%d0];", heard, slotWords-1, s.register())
	case 2: // it might decide
		s.line("@%s mov.b32 %s, %s;", s.predicate(), s.register(), heard)
	}
	s.line("@%%q ld.%s.b32 %s, [%s+%d];\nbar.sync 0;", a.space, s.register(), a.base, 4*word)
	a.mode, a.by, a.op = owned, 0, ""
	for i := range s.arrays {
		s.arrays[i].synced = ctaLevel
	}
}
