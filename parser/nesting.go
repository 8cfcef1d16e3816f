package parser

import (
	"fmt"

	"github.com/alecthomas/participle/v2/lexer"
)

// Depth is counted before anything recurses. A parser that recurses for each
// parenthesis would need a limit in each of its functions; the tokens of a
// statement go by one at a time, and what they will nest can be told from them:
//
//	- ( - a + b )    1 for the -, 2 within the (, 3 for the second -; a ends that:
//	                 2 at the +, b; and ) ends the bracket and the operand of the
//	                 first -, which makes 0
//
// A ? nests all that follows in its expression, for that is how the tree of
// a ? b : c ? d : e looks; a comma goes back to the depth of the bracket.

// nesting counts, over the tokens of one statement or directive, how deep
// parentheses, braces, prefix operators and ?: nest, and how many binary
// operators one expression has. A token beyond the limits becomes a tokFault,
// at which parsing ends: so neither the grammar, which recurses, nor a tree
// that it makes can become deeper. The hand-written readers have limits of
// their own, stricter ones, beyond which they leave a statement to the grammar.
type nesting struct {
	depth   int  // of brackets, prefix operators and ?: that are open
	prefix  int  // prefix operators whose operand has not come
	base    int  // the depth within the innermost bracket, for after a comma
	ops     int  // binary operators since the expression began
	operand bool // an operand has come, so that - is binary
	cast    bool // the innermost bracket holds the type of a cast
	over    bool // the limit is told
	open    []bracket
}

// bracket is what is counted outside of an open bracket.
type bracket struct{ depth, prefix, base int }

// check counts a token; what it gives back is the token, or a fault.
func (n *nesting) check(t lexer.Token) lexer.Token {
	switch t.Type {
	case tokPunct, tokMark:
		n.mark(t.Value)
	case tokName, tokInt, tokFloat:
		n.primary()
	case tokType, tokWord:
		n.cast = t.Value == ".s64" || t.Value == ".u64"
	case tokDirective, tokGuard, tokOpcode, tokCall:
		n.reset()
	}
	switch {
	case n.over:
		return t
	case n.depth > maxNesting:
		t.Type, t.Value = tokFault, fmt.Sprintf("this is nested too deep; hyptx takes %d levels within a statement", maxNesting)
		n.over = true
	case n.ops > maxOperators:
		t.Type, t.Value = tokFault, fmt.Sprintf("this expression has too many operators; hyptx takes %d", maxOperators)
		n.over = true
	}
	return t
}

// reset begins another statement; the stack keeps its memory.
func (n *nesting) reset() { *n = nesting{open: n.open[:0]} }

// primary counts an operand, which ends the prefix operators before it.
func (n *nesting) primary() {
	n.depth -= n.prefix
	n.prefix, n.operand, n.cast = 0, true, false
}

// mark counts a mark. A comma ends an expression, and so what nests in it up to the
// bracket that holds both; a ? nests all that follows it in its expression.
func (n *nesting) mark(mark string) {
	if mark == ";" {
		n.reset()
	}
	if n.over {
		return
	}
	switch mark {
	case ";":
	case "(", "[", "{":
		n.enter()
		if mark != "(" {
			n.ops = 0
		}
	case ")", "]", "}":
		n.leave()
	case ",", "=":
		n.depth, n.prefix, n.ops, n.operand = n.base, 0, 0, false
	case "?":
		n.depth++
		n.operand = false
	case ":":
		n.operand = false
	default:
		n.operator(mark)
	}
	n.cast = false
}

// operator counts an operator: + and - before an operand are prefix operators.
func (n *nesting) operator(mark string) {
	switch {
	case mark == "!", mark == "~", !n.operand && (mark == "+" || mark == "-"):
		n.prefix++
		n.depth++
	default:
		n.ops++
	}
	n.operand = false
}

// enter counts an opening bracket.
func (n *nesting) enter() {
	n.open = append(n.open, bracket{n.depth, n.prefix, n.base})
	n.depth++
	n.base, n.prefix, n.operand = n.depth, 0, false
}

// leave counts a closing bracket: a cast goes on as a prefix operator, and
// anything else is an operand.
func (n *nesting) leave() {
	last := len(n.open) - 1
	if last < 0 {
		return
	}
	outer := n.open[last]
	n.open = n.open[:last]
	n.depth, n.prefix, n.base = outer.depth, outer.prefix, outer.base
	if n.cast {
		n.prefix++
		n.depth++
		n.operand = false
		return
	}
	n.primary()
}
