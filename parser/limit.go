package parser

// The limits that keep any input, however odd, from exhausting time or memory.
// hyptx reads what others upload; a text of 40 bytes must not cost a gigabyte, nor
// a million parentheses the stack. Each is far above what compilers write.
const (
	// MaxSourceBytes is the longest source text that Parse takes.
	MaxSourceBytes = 256 << 20
	// maxNesting is how deep braces, and within a statement parentheses,
	// unary operators and ?:, may nest.
	maxNesting = 100
	// maxErrors is how many errors Parse reports before it gives up.
	maxErrors = 50
	// maxBodyErrors is how many errors all bodies together may have before the rest
	// of a file is not read.
	maxBodyErrors = 20000
	// maxOperators is how many binary operators one constant expression may
	// hold. They associate to the left, so that each deepens the tree by one.
	maxOperators = 1000
	// maxNodes is how many nodes the tree of one module may have; a node takes
	// some 90 bytes, and compiled code has one node in 4 bytes of text.
	maxNodes = 64 << 20
	// maxHeaderTokens is how many tokens a directive may have, bodies and
	// initialisers apart. Kernel parameters end at 32764 bytes (PTX ISA 11.2.1).
	maxHeaderTokens = 1 << 20
	// maxBodyTokens is how many statements one function may have.
	maxBodyTokens = 4 << 20
)
