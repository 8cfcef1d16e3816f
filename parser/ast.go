package parser

import "fmt"

// The tree is what was written, as far as it can matter to anybody: names are
// spelled as they were, an N<5> is one entry and not five, a literal keeps its
// spelling beside its bits. What a text says by leaving something out is nil or
// zero, and differs from saying it: Params is nil without a list and empty for
// (), AddressSize 0 is 32 that nobody wrote. So a tree can be printed and parsed
// again, and a rule about what may be left out stands in one place, package ir.
//
// Words that begin with a dot are kept without it where the field can hold
// nothing else (Space "global", Type "b32"), and with it where the text decides
// what kind of word it is (Section.Name ".debug_info" or dwarfLine).

// Pos is a place in a source text; Line and Col count from 1 and Col counts
// bytes. The file's name stands once, in Module.
type Pos struct {
	Line, Col int32
}

// String formats p as "line:col".
func (p Pos) String() string { return fmt.Sprintf("%d:%d", p.Line, p.Col) }

// Module is a whole PTX file (PTX ISA 4).
type Module struct {
	File        string
	Version     Version
	Targets     []string // "sm_70", "debug": as written
	TargetPos   Pos      // of the first .target
	AddressSize int      // 32 or 64; 0 when not written (then 32)
	Items       []Item
	// Unusable: there are errors outside of bodies, so that nobody knows what the
	// rest means. Errors within a body spoil that function alone.
	Unusable bool
}

// Version is a PTX version; 8.10 is later than 8.9.
type Version struct {
	Pos          Pos
	Major, Minor int
}

// Item is one thing at module scope: *Variable, *Function, *Alias,
// *FileDirective, *Section, *Pragma or *rawDirective.
type Item interface{ item() }

// Linkage is a linking directive (PTX ISA 11.6).
type Linkage string

// The linkages; "" is none.
const (
	Extern  Linkage = "extern"
	Visible Linkage = "visible"
	Weak    Linkage = "weak"
	Common  Linkage = "common"
)

// Variable declares one or more variables, registers or parameters that share
// a space and a type: one statement, or one kernel parameter (PTX ISA 5.4).
type Variable struct {
	Pos       Pos
	Linkage   Linkage
	Space     string // "reg", "global", "param", ...
	Bank      *Expr  // of .const[bank] before PTX 2.2; nil when not written
	Attribute []Attribute
	Align     *Expr // nil when not written
	Vec       int   // 0, 2, 4 or 8
	Type      string
	Ptr       *Ptr // .ptr of kernel parameters
	Hidden    bool // undocumented .hidden
	Names     []Declarator
}

// Attribute is one entry of .attribute(...): managed, unified(a, b).
type Attribute struct {
	Name string
	Args []Expr
}

// Ptr is the .ptr attribute of a kernel parameter (PTX ISA 5.1.6.3).
type Ptr struct {
	Space string // "" when generic
	Align *Expr
}

// Declarator is one declared name with its array dimensions and initialiser:
// b, c<3> and d[2][] of ".reg .b32 b, c<3>" and ".global .b32 d[2][]" are one each.
type Declarator struct {
	Pos  Pos
	Name string
	// Count is N of name<N>, which declares name0 .. name(N-1); nil otherwise.
	Count *Expr
	// Dims are array dimensions; a nil Expr is an empty [].
	Dims []*Expr
	Init *Init // nil when there is none
}

// Init is an initialiser: exactly one of List, Fields and Value is set. An
// empty list {} has List non-nil and empty.
type Init struct {
	Pos    Pos
	List   []Init
	Fields []initField // opaque types: { width = 4, filter_mode = nearest }
	Value  *Expr
	// Mask is the mask operator's literal (0xFF00 of 0xFF00(sym+4)), nil
	// without one.
	Mask *Expr
}

// initField is one field of an opaque variable's initialiser.
type initField struct {
	Name  string
	Value Expr
}

// Function is a kernel (.entry) or a device function (.func), with or without
// a body (PTX ISA 11.2).
type Function struct {
	Pos       Pos
	Linkage   Linkage
	Kernel    bool
	Attribute []Attribute
	Returns   []*Variable
	Name      string
	NamePos   Pos
	// Params is nil for no list at all, non-nil and empty for ().
	Params []*Variable
	// Directives are the performance directives between the header and the
	// body, in order: .maxntid, .reqntid, .noreturn, .pragma ...
	Directives []Directive
	// Body is nil for a declaration, and empty until Read where [Open] left it.
	Body *Block
	// Errors are what is wrong within the body, in the order found.
	Errors ErrorList
	// Instructions is how many the body has, 0 where nobody counted them.
	Instructions int

	unread *unreadBody // nil once it is read
}

// Directive is a directive with arguments: .maxntid 128, 1, 1.
type Directive struct {
	Pos  Pos
	Name string // "maxntid", no dot
	Args []DirectiveArg
}

// DirectiveArg is an expression or a string.
type DirectiveArg struct {
	Expr   *Expr
	String *string // as written, without the quotes
}

// Alias is .alias name, aliasee;
type Alias struct {
	Pos           Pos
	Name, Aliasee string
}

// FileDirective is .file index "name" {, time, size}.
type FileDirective struct {
	Pos        Pos
	Index      int
	Name       string
	Time, Size *uint64
}

// dwarfLine is the Name of a Section that is one @@DWARF line.
const dwarfLine = "@@DWARF"

// Section is a .section with its payload kept as text, or a @@DWARF line. The two
// are how newer and older compilers write debug information (PTX ISA 11.5).
type Section struct {
	Pos  Pos
	Name string // ".debug_info", or dwarfLine
	Text string // between the braces, or after @@DWARF: as written
}

// Pragma is a .pragma at module scope or among statements.
type Pragma struct {
	Pos     Pos
	Strings []string
}

// rawDirective is a directive that hyptx keeps but does not look into
// (.nv_intermediate_source_section and the like).
type rawDirective struct {
	Pos  Pos
	Name string
	Text string
}

func (*Variable) item()      {}
func (*Function) item()      {}
func (*Alias) item()         {}
func (*FileDirective) item() {}
func (*Section) item()       {}
func (*Pragma) item()        {}
func (*rawDirective) item()  {}

// Block is a sequence of statements in braces: a body or a scope within one.
type Block struct {
	Pos   Pos // of {
	End   Pos // of }
	Stmts []Stmt
}

// Stmt is one thing in a body: *Instruction, *Variable, *Block, *LabelStmt,
// *LocDirective, *Pragma, *BranchTargets, *CallTargets, *CallPrototype,
// *rawDirective or *Section.
type Stmt interface{ stmt() }

// LabelStmt is "name:".
type LabelStmt struct {
	Pos  Pos
	Name string
}

// LocDirective is .loc file line column {, function_name label{+offset}, inlined_at file line column}.
// File is the index of a FileDirective. It holds for the instructions after it
// up to the next one, which is package ir's matter; here it is a statement.
type LocDirective struct {
	Pos             Pos
	File, Line, Col int
	FunctionName    string // label, "" without one
	FunctionOffset  *Expr
	InlinedAt       *[3]int // nil without one
}

// BranchTargets is "label: .branchtargets L1, L2;". Count is N of N<5>.
type BranchTargets struct {
	Pos    Pos
	Name   string
	Labels []TargetName
}

// TargetName is a label or, with Count, the range name0 .. name(N-1).
type TargetName struct {
	Pos   Pos
	Name  string
	Count *Expr
}

// CallTargets is "label: .calltargets f1, f2;".
type CallTargets struct {
	Pos       Pos
	Name      string
	Functions []TargetName
}

// CallPrototype is "label: .callprototype (ret) _ (params) ...;".
type CallPrototype struct {
	Pos        Pos
	Name       string
	Returns    []*Variable
	Params     []*Variable
	Directives []Directive
}

// Instruction is one instruction statement. Labels before it are LabelStmts.
type Instruction struct {
	Pos   Pos // of the guard, or of the opcode
	Guard *Guard
	// Opcode is the opcode with all modifiers, as written: "ld.global.v4.f32".
	Opcode    string
	OpcodePos Pos
	Operands  []Operand
	// End is the place of the semicolon.
	End Pos
}

// Guard is @p or @!p.
type Guard struct {
	Not  bool
	Name string
	Pos  Pos
}

func (*Variable) stmt()      {}
func (*Block) stmt()         {}
func (*LabelStmt) stmt()     {}
func (*LocDirective) stmt()  {}
func (*Pragma) stmt()        {}
func (*Section) stmt()       {}
func (*BranchTargets) stmt() {}
func (*CallTargets) stmt()   {}
func (*CallPrototype) stmt() {}
func (*Instruction) stmt()   {}
func (*rawDirective) stmt()  {}

// OperandKind says which fields of an Operand are set.
type OperandKind uint8

// The kinds of operands (PTX ISA 6).
const (
	// OperandExpr: X; a register, a name, a constant, name+offset.
	OperandExpr OperandKind = iota
	// OperandVector: { Elems }.
	OperandVector
	// OperandAddress: [ Elems ]; Elems[0] is the address, the rest what follows
	// it within the brackets ([tex, {x,y}], [tex, sampler, {x}]). Suffix holds
	// what follows the bracket (".unified").
	OperandAddress
	// OperandArray: name[X], an element of an array variable.
	OperandArray
	// OperandParens: ( Elems ), the argument and return lists of call.
	OperandParens
	// OperandPair: Elems[0] | Elems[1], two destinations.
	OperandPair
)

// Operand is an operand of an instruction, as written. Whether a name is a
// register, a label, a variable or a special register cannot be seen here: all
// are OperandExpr of an ExprName.
type Operand struct {
	Pos    Pos
	Kind   OperandKind
	Not    bool // !p
	Neg    bool // -a, of a register (video instructions)
	X      *Expr
	Name   string // OperandArray: the variable
	Elems  []Operand
	Suffix string // ".unified"; video selectors are part of the name
}

// exprKind says what an Expr is.
type exprKind uint8

// The kinds of expressions (PTX ISA 4.6).
const (
	// ExprName: a name as written, with a component suffix if there is one:
	// "%tid.x", "foo", "_", "WARP_SZ", "r.b0".
	ExprName exprKind = iota
	// ExprInt: an integer literal; Unsigned when it has U or does not fit s64.
	ExprInt
	// ExprF32, ExprF64: Bits holds the value's bits; decimal literals are F64.
	ExprF32
	ExprF64
	// ExprUnary: Text X: + - ! ~ or a cast "(.s64)" "(.u64)".
	ExprUnary
	// ExprBinary: X Text Y.
	ExprBinary
	// ExprCond: X ? Y : Z.
	ExprCond
	// ExprGeneric: generic(X).
	ExprGeneric
)

// Expr is a constant expression or a name in one. It has no value here: whether
// -1 < 0U holds depends on types, and sizes of variables may stand in it.
// Parentheses leave no node; Print puts them where precedence needs them.
type Expr struct {
	Pos      Pos
	Kind     exprKind
	Unsigned bool
	// Text is the name, the operator, or a literal's spelling, so that printing gives
	// it back; Bits is a literal's value.
	Text    string
	Bits    uint64
	X, Y, Z *Expr
}
