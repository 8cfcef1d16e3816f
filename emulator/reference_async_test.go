package emulator

import (
	"fmt"
	"strings"

	"hyptx/ir/isa"
)

// asyncSteps store, or reduce by, what registers hold in the shared memory of a CTA, and tell an
// mbarrier object there (PTX ISA 9.7.10.12, 9.7.15.7); clear bytes (9.7.10.14); copy 4 to 16 bytes
// for each thread (9.7.10.28.3.1).
var asyncSteps = map[isa.Op]clusterStep{
	isa.OpStAsync: storedApart, isa.OpRedAsync: storedApart, isa.OpStBulk: cleared, isa.OpCpAsync: copiedApart,
}

// storedApart: st.async may store in the own CTA, too, red.async in others alone; both take a
// cluster of several.
func storedApart(p *clusterProof, x *isa.Inst, given []bool) int {
	if p.ctas == 1 {
		return 0
	}
	shift := 1 + p.r.IntN(p.ctas-1)
	if x.Op == isa.OpStAsync && p.r.IntN(3) == 0 {
		shift = 0
	}
	t, n := x.Type(), max(int(x.Vec), 1)
	area, bytes := p.area(isa.Shared, t), n*t.Bits()/8
	acts, lanes := p.someThreads()
	at := make([]int, p.threads())
	expected := make([]int, p.ctas)
	to := func(thread int) int { return (p.rank(thread) + shift) % p.ctas }
	for thread := range at {
		at[thread] = sliceBytes*p.tid(thread) + bytes*p.r.IntN(sliceBytes/bytes)
		expected[to(thread)] += bytes * int(truth(acts[thread]))
	}
	p.expect(0, func(rank int) int { return expected[rank] })
	values := make([][]byte, p.threads())
	elems := make([]string, n)
	for i := range elems {
		elems[i] = p.giveBytes(t, func(thread int, b []byte) { values[thread] = append(values[thread], b...) })
	}
	operands := map[string]string{
		"a":    p.address(x.Space, func(thread int) spot { return spot{rank: to(thread), at: area + at[thread]} }),
		"mbar": p.address(x.Space, func(thread int) spot { return spot{rank: to(thread), object: true} }),
		"b":    elems[0],
	}
	if n > 1 {
		operands["b"] = "{" + strings.Join(elems, ", ") + "}"
	}
	p.execute(x, given, p.guard(acts), operands)
	p.await(0)
	for thread, is := range acts {
		mem := p.shared[to(thread)][area+at[thread]:][:bytes]
		switch {
		case !is:
		case x.Sub.String() != "":
			p.reduce(x, mem, values[thread])
		default:
			p.write(mem, values[thread])
		}
	}
	return lanes
}

// giveBytes loads a value of a type for each thread, of which it tells the bytes.
func (p *clusterProof) giveBytes(t isa.Type, tell func(thread int, b []byte)) string {
	bits := min(t.Bits(), 64)
	half := func() string {
		return p.give(bits, func(thread int) uint64 {
			v, b := p.draw(t, bits), make([]byte, bits/8)
			putWord(b, 0, bits, v)
			tell(thread, b)
			return v
		})
	}
	first := half()
	if t.Bits() <= 64 {
		return first
	}
	second := half()
	p.regs++
	name := fmt.Sprintf("r_b128_%d", 40+p.regs)
	p.line("mov.b128 %s, {%s, %s};", name, first, second)
	return name
}

func cleared(p *clusterProof, x *isa.Inst, given []bool) int {
	area := p.area(isa.Shared, isa.B32)
	acts, lanes := p.someThreads()
	at, size := make([]int, p.threads()), make([]int, p.threads())
	one, whole := p.r.IntN(p.each), p.r.IntN(3) == 0
	for thread := range at {
		room, first := sliceBytes/8, sliceBytes*p.tid(thread)
		if whole {
			room, first = room*p.each, 0
			lanes -= int(truth(acts[thread] && p.tid(thread) != one))
			acts[thread] = acts[thread] && p.tid(thread) == one
		}
		n := oneAmong(p.r, 0, 1, room, p.r.IntN(room+1))
		at[thread], size[thread] = first+8*p.r.IntN(room-n+1), 8*n
	}
	operands := map[string]string{
		"a":     p.address(x.Space, func(thread int) spot { return spot{rank: p.rank(thread), at: area + at[thread]} }),
		"size":  p.give(oneAmong(p.r, 32, 64), func(thread int) uint64 { return uint64(size[thread]) }),
		"value": "0",
	}
	p.execute(x, given, p.guard(acts), operands)
	for thread, is := range acts {
		if is {
			p.write(p.shared[p.rank(thread)][area+at[thread]:], make([]byte, size[thread]))
		}
	}
	return lanes
}

// copiedApart: cp.async, of which fewer bytes than are copied may come from the source, or none;
// the rest is zero.
func copiedApart(p *clusterProof, x *isa.Inst, given []bool) int {
	size := 16
	if has(x, "ca") {
		size = oneAmong(p.r, 4, 8, 16)
	}
	src, dst := p.area(isa.Global, isa.B32), p.area(isa.Shared, isa.B32)
	acts, lanes := p.someThreads()
	piece := func() (list []int) {
		for range p.threads() {
			list = append(list, size*p.r.IntN(sliceBytes/size))
		}
		return list
	}
	from, to, take := piece(), piece(), make([]int, p.threads())
	for thread := range take {
		take[thread] = size
	}
	operands := map[string]string{
		"src": p.address(isa.Global, func(thread int) spot { return spot{at: src + sliceBytes*thread + from[thread]} }),
		"dst": p.address(isa.Shared, func(thread int) spot {
			return spot{rank: p.rank(thread), at: dst + sliceBytes*p.tid(thread) + to[thread]}
		}),
		"size": fmt.Sprint(size), "policy": p.policy(),
	}
	for i := range x.Form.Operands {
		if x.Form.Operands[i].Name != "srcSize" || !given[i] {
			continue
		}
		predicate := p.r.IntN(2) == 0
		operands["srcSize"] = p.give(32, func(thread int) uint64 {
			take[thread] = oneAmong(p.r, 0, 1, size-1, size, p.r.IntN(size+1))
			if predicate {
				take[thread] = size * p.r.IntN(2)
				return truth(take[thread] == 0)
			}
			return uint64(take[thread])
		})
		if predicate {
			p.line("setp.ne.u32 r_pred_31, %s, 0;", operands["srcSize"])
			operands["srcSize"] = "r_pred_31"
		}
	}
	p.execute(x, given, p.guard(acts), operands)
	p.line("%s", oneAmong(p.r, "cp.async.wait_all;", "cp.async.commit_group; cp.async.wait_group 0;", "cp.async.commit_group; cp.async.commit_group; cp.async.wait_group 1;"))
	for thread, is := range acts {
		if is {
			b := make([]byte, size)
			copy(b[:take[thread]], read(p.global[src+sliceBytes*thread+from[thread]:][:take[thread]]))
			p.write(p.shared[p.rank(thread)][dst+sliceBytes*p.tid(thread)+to[thread]:], b)
		}
	}
	return lanes
}
