package machine

import (
	"container/heap"
	"slices"

	"hyptx/internal/pipe"
)

// A block's instructions are issued in order, so their order decides what
// overlaps. It is made by list scheduling: of the instructions whose operands
// are there the one is issued from which the longest way to the block's end
// begins, so that loads go first and what needs them last.

// latencies are those that a compiler schedules for: by kind, of the generation
// since Volta; before it what is 4 here takes 6. A load is taken to hit the
// nearest cache.
var latencies = [pipe.NumKinds]int32{
	pipe.FP32: 4, pipe.FP64: 8, pipe.FP16: 5, pipe.IntAdd: 4, pipe.IntShift: 4, pipe.IntMul: 4, pipe.IntMulWide: 5,
	pipe.Compare: 5, pipe.Move: 4, pipe.Special: 18, pipe.Convert: 14, pipe.Convert64: 14, pipe.ReadSpecial: 20,
	pipe.Uniform: 4, pipe.LoadGlobal: 60, pipe.LoadLocal: 40, pipe.LoadShared: 24, pipe.LoadMatrix: 30, pipe.LoadConst: 30,
	pipe.Atomic: 60, pipe.AtomicShared: 30, pipe.Texture: 60, pipe.Shuffle: 24, pipe.Vote: 12, pipe.Matrix: 18,
	pipe.StoreGlobal: 1, pipe.StoreLocal: 1, pipe.StoreShared: 1, pipe.CopyAsync: 1, pipe.Reduction: 1,
	pipe.Branch: 1, pipe.Barrier: 1, pipe.Fence: 1,
}

// schedule returns a group's instructions in the order of issue.
func (l *lister) schedule(ops []draft) []Op {
	g := l.depend(ops)
	g.heights()
	out := make([]Op, 0, len(ops))
	order, broken := g.issue()
	l.out.broken += broken
	for _, i := range order {
		out = append(out, ops[i].Op)
	}
	return out
}

// before is what the instructions of a block wait for.
type before struct {
	succs [][]wait
	count []int32 // of instructions that each still waits for
	// height is the time from an instruction to the block's end.
	height []int32
}

// wait says that an instruction begins no earlier than so many cycles after
// another.
type wait struct{ op, cycles int32 }

func (g *before) add(from, to int, cycles int32) {
	if from >= 0 && from != to {
		g.succs[from] = append(g.succs[from], wait{int32(to), cycles})
		g.count[to]++
	}
}

// heights fills in height, from the end on.
func (g *before) heights() {
	g.height = make([]int32, len(g.count))
	order, left := make([]int32, 0, len(g.count)), slices.Clone(g.count)
	for i := range left {
		if left[i] == 0 {
			order = append(order, int32(i))
		}
	}
	for k := 0; k < len(order); k++ {
		for _, s := range g.succs[order[k]] {
			if left[s.op]--; left[s.op] == 0 {
				order = append(order, s.op)
			}
		}
	}
	for _, i := range slices.Backward(order) {
		for _, s := range g.succs[i] {
			g.height[i] = max(g.height[i], g.height[s.op]+s.cycles)
		}
	}
}

// issue returns the numbers of the instructions in the order of issue, and how
// many wait for one another, which none should.
func (g *before) issue() (order []int32, broken int) {
	n := len(g.count)
	order = make([]int32, 0, n)
	at := make([]int32, n) // when the operands are there
	ready := &queue{less: func(a, b int32) bool {
		if g.height[a] != g.height[b] {
			return g.height[a] > g.height[b]
		}
		return a < b
	}}
	waiting := &queue{less: func(a, b int32) bool {
		if at[a] != at[b] {
			return at[a] < at[b]
		}
		return a < b
	}}
	for i := range g.count {
		if g.count[i] == 0 {
			heap.Push(ready, int32(i))
		}
	}
	for now := int32(0); len(order) < n; now++ {
		if ready.Len() == 0 && waiting.Len() > 0 {
			now = max(now, at[waiting.ops[0]])
		}
		for waiting.Len() > 0 && at[waiting.ops[0]] <= now {
			heap.Push(ready, heap.Pop(waiting))
		}
		if ready.Len() == 0 {
			broken = n - len(order)
			for i := range g.count {
				if g.count[i] > 0 {
					order = append(order, int32(i))
				}
			}
			break
		}
		i := heap.Pop(ready).(int32)
		order = append(order, i)
		for _, s := range g.succs[i] {
			at[s.op] = max(at[s.op], now+s.cycles)
			if g.count[s.op]--; g.count[s.op] == 0 {
				heap.Push(waiting, s.op)
			}
		}
	}
	return order, broken
}

// queue is a heap of instructions.
type queue struct {
	ops  []int32
	less func(a, b int32) bool
}

func (q *queue) Len() int           { return len(q.ops) }
func (q *queue) Less(i, j int) bool { return q.less(q.ops[i], q.ops[j]) }
func (q *queue) Swap(i, j int)      { q.ops[i], q.ops[j] = q.ops[j], q.ops[i] }
func (q *queue) Push(x any)         { q.ops = append(q.ops, x.(int32)) }
func (q *queue) Pop() any {
	x := q.ops[len(q.ops)-1]
	q.ops = q.ops[:len(q.ops)-1]
	return x
}
