package oracle

// Tiles are groups of lanes that exchange registers among themselves: each lane computes
// the mask of those it belongs to, so that the lanes of one instruction name different
// members. A mask stands in %g.

// tile is how the lanes are divided: width is that of aligned tiles in a row, 0 for others.
type tile struct{ width int }

// tile computes masks of tiles that divide all lanes of a warp.
func (s *sharer) tile() tile {
	width := 2 << s.r.IntN(4)
	s.line("mov.u32 %%x, %s;", s.one("%laneid", "%laneid", "%tid.x"))
	switch s.r.IntN(8) {
	case 0, 1, 2, 3:
		s.row("%x", width)
		return tile{width}
	case 4: // every lane that has the same rest
		pattern := uint32(0xffffffff) / (1<<width - 1)
		s.line("and.b32 %%x, %%x, %d;\nmov.b32 %%g, %d;\nshl.b32 %%g, %%g, %%x;", width-1, pattern)
	case 5: // any lanes, and the others
		some := uint32(s.r.Uint64())
		s.line("and.b32 %%x, %%x, 31;\nmov.b32 %%g, %d;\nshr.u32 %%x, %%g, %%x;\nand.b32 %%x, %%x, 1;\nsetp.ne.u32 %%q, %%x, 0;\nselp.b32 %%g, %d, %d, %%q;", some, some, ^some)
	case 6: // those that have the same value
		s.line("match.any.sync.b32 %%g, %s, -1;", s.register())
	case 7: // those of whom something is true
		p := s.r.IntN(predicates)
		s.line("vote.sync.ballot.b32 %%g, %%p%d, -1;\n@!%%p%d not.b32 %%g, %%g;", p, p)
	}
	return tile{}
}

// row computes the mask of an aligned tile of some width, from the number of a lane that
// is written over.
func (s *sharer) row(lane string, width int) {
	s.line("and.b32 %s, %s, %d;\nmov.b32 %%g, %d;\nshl.b32 %%g, %%g, %s;", lane, lane, 32-width, uint32(1)<<width-1, lane)
}

// exchange lets the lanes of a tile exchange a register, and returns where the result is.
func (t tile) exchange(s *sharer, from string) string {
	if s.r.IntN(4) > 0 {
		return s.exchangedBy(from, "%g")
	}
	to := s.register()
	if t.width == 0 || s.r.IntN(3) == 0 { // from the first of them
		s.line("elect.sync %%x|%%q, %%g;\nshfl.sync.idx.b32 %s|%%p%d, %s, %%x, 31, %%g;", to, s.r.IntN(predicates), from)
		return to
	}
	segment := (32-t.width)<<8 | 31
	if mode := s.one("up", "down", "bfly", "idx"); mode != "up" {
		s.line("shfl.sync.%s.b32 %s, %s, %d, %d, %%g;", mode, to, from, s.r.IntN(t.width), segment)
	} else {
		s.line("shfl.sync.up.b32 %s, %s, %d, %d, %%g;", to, from, s.r.IntN(t.width), segment&^31)
	}
	return to
}

// tiles lets tiles exchange registers, and branch on what has come out: all lanes of one
// go the same way, and can exchange registers there.
func (s *sharer) tiles() {
	if s.apart > 0 || s.mask != "-1" || s.exited {
		return
	}
	t := s.tile()
	v := s.register()
	for range 1 + s.r.IntN(2) {
		v = t.exchange(s, v)
	}
	switch s.r.IntN(4) {
	case 0:
		s.late(t, v)
	case 1:
		s.decide(v)
	default:
		s.parted(t, v)
	}
}

// decide branches on a value.
func (s *sharer) decide(v string) {
	s.serial++
	n := s.serial
	s.line("setp.%s.u32 %%q, %s, %d;\n@%%q bra D%d;", s.compare(), v, s.constant(), n)
	s.block()
	s.line("D%d:", n)
}

// parted is a branch that tiles take as a whole.
func (s *sharer) parted(t tile, v string) {
	s.serial++
	n := s.serial
	s.line("setp.%s.u32 %%q, %s, %d;", s.compare(), v, s.constant())
	if s.r.IntN(2) == 0 {
		s.line("vote.sync.%s.pred %%q, %%q, %%g;", s.one("any", "all", "uni"))
	} else {
		s.line("redux.sync.%s %%x, %s, %%g;\nsetp.%s.u32 %%q, %%x, %d;", s.one("add.u32", "min.u32", "max.u32", "xor.b32"), v, s.compare(), s.constant())
	}
	s.line("@%%q bra U%d;", n)
	s.inTile(t)
	if s.r.IntN(2) == 0 {
		s.line("bra V%d;\nU%d:", n, n)
		s.inTile(t)
		s.line("V%d:", n)
		return
	}
	s.line("U%d:", n)
}

// inTile writes what the lanes of a tile do together while those of others may not.
func (s *sharer) inTile(t tile) {
	s.apart++
	s.mask = ""
	for range 1 + s.r.IntN(3) {
		v := t.exchange(s, s.register())
		switch s.r.IntN(4) {
		case 0:
			s.line("bar.warp.sync %%g;")
		case 1:
			s.decide(v)
		default:
			s.statement()
		}
	}
	s.apart--
	s.mask = "-1"
}

// late lets lanes come to one exchange on two ways, which join only behind it.
func (s *sharer) late(t tile, v string) {
	s.serial++
	n := s.serial
	s.line("setp.%s.u32 %%q, %s, %d;\n@%%q bra J%d;", s.compare(), s.one(v, s.register()), s.constant(), n)
	s.statement()
	s.line("@%%never bra L%d;\nbra.uni K%d;\nJ%d:", n, n, n)
	s.statement()
	s.line("@%%never bra L%d;\nK%d:", n, n)
	v = t.exchange(s, v)
	s.line("L%d:", n)
	s.decide(v)
}

// tileSync puts in order what lanes do of an aligned tile of at least 8.
func (s *sharer) tileSync() {
	s.line("mov.u32 %%x, %%laneid;")
	s.row("%x", 8<<s.r.IntN(2))
	s.line("bar.warp.sync %%g;")
}
