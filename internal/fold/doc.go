// Package fold finds the values that are constants of a launch, the blocks that
// it can reach and the intervals in which the rest stays.
//
// It changes no program and removes nothing: it says of the values of package
// ssa what they are ([Func.Const], [Func.Range]) and of edges whether they are
// taken ([Func.Passes]). What an operation makes of numbers is said in package
// value; here stands what is known of operands. It knows integers, predicates,
// the movement of bits and addresses of variables, and nothing of floating
// point.
//
// Start with [Propagate]. Then:
//
//	folding.go     Folding: the propagation, from block to block
//	visit.go       what an instruction, a block's end, a call and a return do
//	cell.go        what is known of a value, and how that is joined
//	evaluator.go   an instruction over cells: movement, parameters
//	arithmetic.go  operations; select.go selection and comparison
//	consts.go      Consts: what a launch fixes
//	counter.go     loop counters: the intervals in which they stay
//	cta.go         CTA: a few instructions for one CTA after the other
package fold
