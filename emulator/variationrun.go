package emulator

import (
	"math"

	"hyptx/emulator/internal/address"
	"hyptx/emulator/internal/lanes"
	"hyptx/emulator/internal/words"
	"hyptx/internal/vary"
	"hyptx/ir/isa"
)

// An open result is an element of a register, one of two in an .f16x2: a format and a
// shift find it. Its place in the run (vary.Site) and its inputs decide whether and
// which way it moves, not who has run before, so that every run of a variation moves
// the same results alike.

// site names a result of one thread.
func (w *warp) site(in *inst, lane int, input uint64) vary.Site {
	return vary.Site{PC: int32(in.pc), Index: in.varied.index, CTA: w.cta.linear, Warp: int32(w.number), Lane: int32(lane), Input: input}
}

// word reads a lane of a register of 32 or 64 bits.
func (v *varied) word(s *lanes.Slot, lane int) uint64 {
	if v.wide {
		return wide(s)[lane]
	}
	return uint64(s[lane])
}

// element returns the element of a word that lies at a shift.
func (v *varied) element(word uint64, at uint) uint64 {
	return word >> at & (1<<v.format.Bits() - 1)
}

// replaced returns a word with another element at a shift.
func (v *varied) replaced(word, element uint64, at uint) uint64 {
	mask := uint64(1<<v.format.Bits()-1) << at
	return word&^mask | element<<at&mask
}

// setWord writes a lane of a register.
func (v *varied) setWord(s *lanes.Slot, lane int, x uint64) {
	if v.wide {
		wide(s)[lane] = x
		return
	}
	s[lane] = uint32(x)
}

// change runs the lane function and commits what f makes of each element of
// the lanes of m: it gets the element that the function gave.
func (w *warp) change(in *inst, m uint32, f func(lane int, at uint, nominal uint64) uint64) {
	v, t := in.varied, &w.worker.tmp[0]
	in.lane(t, w.slot(in.a), w.slot(in.b), w.slot(in.c))
	for lane := range lanesOf(m) {
		word := v.word(t, lane)
		for _, at := range v.shifts {
			word = v.replaced(word, f(lane, at, v.element(word, at)), at)
		}
		v.setWord(t, lane, word)
	}
	commit(w.slot(in.d), t, m, v.wide)
}

// execApproximate moves the results of an approximation within its bound.
func execApproximate(w *warp, in *inst, m uint32) {
	v := in.varied
	a, b := w.slot(in.a), w.slot(in.b)
	w.change(in, m, func(lane int, at uint, nominal uint64) uint64 {
		x := v.element(v.word(a, lane), at)
		y := uint64(0)
		if v.divisor {
			y = v.element(v.word(b, lane), at)
		}
		site := w.site(in, lane, vary.Mix(x, y))
		up, moved := v.v.Up(site)
		if !moved && !v.v.Unbounded {
			return nominal
		}
		result := v.v.Stop(v.format, nominal, v.approximate(x, y, nominal, up), site)
		if v.flush {
			result = v.format.Flush(result)
		}
		return result
	})
}

// approximate returns the edge of what an approximation may give for its
// inputs, or a probe where there is no bound. Special inputs have exact results.
func (v *varied) approximate(x, y, nominal uint64, up bool) uint64 {
	if v.flush {
		x, y = v.format.Flush(x), v.format.Flush(y)
	}
	p, q := v.format.Value(x), v.format.Value(y)
	if !ordinary(p) || v.divisor && !ordinary(q) {
		return nominal
	}
	r := vary.Result{Format: v.format, Exact: v.exact(p, q), Nominal: nominal, Flush: v.flush}
	if v.divisor {
		p = q
	}
	part, ok := v.bound.Part(p)
	switch {
	case ok == v.v.Unbounded:
		return nominal
	case ok:
		return r.Edge(part, up)
	}
	return r.Probe()
}

// ordinary reports whether x is in no table of special values.
func ordinary(x float64) bool { return x != 0 && !math.IsInf(x, 0) && x == x }

// execOtherNaN gives NaN results another payload.
func execOtherNaN(w *warp, in *inst, m uint32) {
	v := in.varied
	w.change(in, m, func(_ int, _ uint, nominal uint64) uint64 {
		if v.format.IsNaN(nominal) {
			return v.format.OtherNaN()
		}
		return nominal
	})
}

// execContracted gives the sum or one of the fused results: the largest or the
// smallest of them, or the fused one.
func execContracted(w *warp, in *inst, m uint32) {
	v, wk := in.varied, w.worker
	for k := range v.fusions {
		v.fusions[k].run(w, &wk.scratch[2*k], &wk.scratch[4], v.wide)
	}
	w.change(in, m, func(lane int, at uint, nominal uint64) uint64 {
		up, moved := v.v.Up(w.site(in, lane, nominal))
		best := nominal
		for k := range v.fusions {
			fused := v.element(v.word(&wk.scratch[2*k], lane), at)
			switch {
			case v.v.Fused:
				return fused
			case !moved || v.format.IsNaN(fused) || v.format.IsNaN(best):
				continue
			}
			if x, y := v.format.Value(fused), v.format.Value(best); up && x > y || !up && x < y {
				best = fused
			}
		}
		return best
	})
}

// run computes the contracted result; t is room for an operand.
func (f *fusion) run(w *warp, d, t *lanes.Slot, is64 bool) {
	args := [3]*lanes.Slot{w.slot(f.a), w.slot(f.b), w.slot(f.c)}
	if f.negated > 0 {
		arg := args[f.negated-1]
		for lane := range lanes.Width {
			if is64 {
				wide(t)[lane] = wide(arg)[lane] ^ f.mask
			} else {
				t[lane] = arg[lane] ^ uint32(f.mask)
			}
		}
		args[f.negated-1] = t
	}
	f.fn(d, args[0], args[1], args[2])
}

// execVariedAtomic runs an atomic operation lane by lane. Floating-point sums
// are recorded, or moved by what their totals allow.
func execVariedAtomic(w *warp, in *inst, m uint32) {
	v, e := in.varied, in.mem
	for rest := m; rest != 0; {
		lane := w.cta.nextLane(rest)
		rest &^= 1 << lane
		if !v.sums || v.v.Sums == nil {
			v.inner(w, in, 1<<lane)
			continue
		}
		addr := w.addresses(in)[lane]
		w.checkVector(in, lane, &w.worker.addr)
		var old, term [8]uint64
		for k := range e.elems {
			b := w.bytesAt(in, lane, e.space, addr+uint64(k)*uint64(in.width), int(in.width), true)
			old[k], term[k] = words.Get(b), w.laneValue(e.elems[k], lane, len(b))
		}
		v.inner(w, in, 1<<lane)
		for k := range e.elems {
			at := addr + uint64(k)*uint64(in.width)
			b := w.bytesAt(in, lane, e.space, at, int(in.width), true)
			words.Put(b, w.movedSum(in, lane, at, old[k], term[k], words.Get(b)))
		}
	}
}

// movedSum records an atomic addition, or returns its result moved.
func (w *warp) movedSum(in *inst, lane int, addr, old, term, nominal uint64) uint64 {
	v := in.varied
	place := vary.Place{Launch: w.worker.launch.GridID, CTA: -1, Address: addr}
	if space, off := address.Resolve(in.mem.space, addr); space == isa.Shared {
		place.CTA, place.Address = w.cta.linear, off
	}
	f := v.format
	for _, at := range v.shifts {
		p := place
		p.Address += uint64(at / 8)
		if v.v.Record {
			v.v.Sums.Add(p, f.Value(v.element(old, at)), f.Value(v.element(term, at)))
			continue
		}
		site := w.site(in, lane, vary.Mix(p.Address, term))
		up, moved := v.v.Up(site)
		if !moved {
			continue
		}
		was := v.element(nominal, at)
		r := vary.Result{Format: f, Exact: f.Value(was), Nominal: was}
		nominal = v.replaced(nominal, v.v.Stop(f, was, r.Sum(v.v.Sums.Share(p, f), up), site), at)
	}
	return nominal
}
