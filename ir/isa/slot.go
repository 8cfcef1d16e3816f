package isa

import "slices"

// maxSlots bounds the slots of a form (the masks of fit are 32 bits wide).
const maxSlots = 24

// slot is a place of a form for one modifier.
type slot struct {
	name     string
	alts     []alternative
	optional bool
	// group is the same for slots that stand within one pair of braces, which
	// are filled all or none; 0 outside braces.
	group int
	kind  slotKind
	role  role
}

// alternative is one modifier that may fill a slot.
type alternative struct {
	mod  Mod
	text string
	// value is the modifier's number in its role's type (Rounding, Cmp, ...).
	value uint8
	need  requirement
}

// slotKind separates the modifiers whose order among each other matters.
type slotKind uint8

const (
	otherSlot slotKind = iota
	typeSlot
	spaceSlot
)

// kindOf returns the kind of a slot that the modifier spelled text fills.
func kindOf(text string) slotKind {
	if ParseType(text) != NoType {
		return typeSlot
	}
	if _, ok := ParseSpace(text); ok {
		return spaceSlot
	}
	return otherSlot
}

// accepts returns which alternative m is, -1 if none.
func (s *slot) accepts(m Mod) int {
	return slices.IndexFunc(s.alts, func(a alternative) bool { return a.mod == m })
}

// allMul reports whether all alternatives are parts of a product: .mode of mul
// is another thing than .mode of shf.
func (s *slot) allMul() bool {
	for _, a := range s.alts {
		if _, ok := roleValues[roleMul][a.text]; !ok {
			return false
		}
	}
	return true
}

// literal reports whether the slot has a single alternative.
func (s *slot) literal() bool { return len(s.alts) == 1 }

// noun says in an error message what fills the slot.
func (s *slot) noun() string {
	switch {
	case s.kind == typeSlot:
		return "a type"
	case s.kind == spaceSlot:
		return "a state space"
	case s.literal() && s.role == noRole:
		return ""
	}
	return roleNouns[s.role]
}

// role is the field of Inst that a slot's modifier sets.
type role uint8

const (
	noRole role = iota
	roleRnd
	roleCmp
	roleBool
	roleMul
	roleSem
	roleScope
	roleVec
	roleSub
	numRoles
)

var roleNouns = [numRoles]string{
	noRole: "a modifier", roleRnd: "a rounding", roleCmp: "a comparison", roleBool: "a Boolean operator",
	roleMul: "which part of the product", roleSem: "an ordering", roleScope: "a scope",
	roleVec: "a vector length", roleSub: "an operation",
}

// roleValues are the spellings of each role with their numbers.
var roleValues = [numRoles]map[string]uint8{
	roleRnd: {"rn": uint8(RN), "rz": uint8(RZ), "rm": uint8(RM), "rp": uint8(RP), "rna": uint8(RNA), "rs": uint8(RS),
		"rni": uint8(RNI), "rzi": uint8(RZI), "rmi": uint8(RMI), "rpi": uint8(RPI)},
	roleCmp: {"eq": uint8(EQ), "ne": uint8(NE), "lt": uint8(LT), "le": uint8(LE), "gt": uint8(GT), "ge": uint8(GE),
		"lo": uint8(LO), "ls": uint8(LS), "hi": uint8(HI), "hs": uint8(HS), "equ": uint8(EQU), "neu": uint8(NEU),
		"ltu": uint8(LTU), "leu": uint8(LEU), "gtu": uint8(GTU), "geu": uint8(GEU), "num": uint8(NUM), "nan": uint8(NAN)},
	roleBool: {"and": uint8(AND), "or": uint8(OR), "xor": uint8(XOR)},
	roleMul:  {"lo": uint8(LO_), "hi": uint8(HI_), "wide": uint8(WIDE)},
	roleSem: {"weak": uint8(Weak), "relaxed": uint8(Relaxed), "acquire": uint8(Acquire), "release": uint8(Release),
		"acq_rel": uint8(AcqRel), "sc": uint8(SeqCst), "volatile": uint8(Volatile), "mmio": uint8(MMIO)},
	roleScope: {"cta": uint8(CTA), "cluster": uint8(Cluster), "gpu": uint8(GPU), "gl": uint8(GPU), "sys": uint8(Sys)},
	roleVec:   {"v2": 2, "v4": 4, "v8": 8, "x1": 1, "x2": 2, "x4": 4},
}

// roleValue returns the number of a modifier in its role; ok is false if it
// has none there.
func roleValue(r role, text string) (value uint8, ok bool) {
	if r == noRole || r == roleSub {
		return 0, true
	}
	value, ok = roleValues[r][text]
	return value, ok
}

// literalRole returns the role of a modifier that a row names itself. A
// comparison or operation is never such; .lo and .hi are parts of a product.
func literalRole(text string) role {
	for _, r := range []role{roleRnd, roleMul, roleSem, roleScope, roleVec} {
		if _, ok := roleValues[r][text]; ok {
			return r
		}
	}
	return noRole
}
