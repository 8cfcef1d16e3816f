package isa

// Mod is a modifier ("rn", "ftz", "L1::no_allocate"), interned, without its
// leading dot. Types and spaces are modifiers too. Those that are compared
// somewhere have names here; the table interns the rest.
type Mod uint16

// The modifiers that have names: saturation and other variants of
// floating-point operations, carry and parts of products, operations, classes
// of numbers, bit operations, warps and barriers, caching, and what single
// instructions have. Rounding, comparison, ordering and scope stand decoded
// in [Inst].
const (
	noMod Mod = iota
	ModFtz
	ModSat
	ModSatfinite
	ModRelu
	ModOob
	ModApprox
	ModFull
	ModNaN
	ModXorsign
	ModAbs
	ModNoftz

	ModCc
	ModHi
	ModLo
	ModWide

	ModAnd
	ModOr
	ModXor
	ModAdd
	ModMin
	ModMax
	ModInc
	ModDec
	ModExch
	ModCas
	ModPopc

	ModFinite
	ModInfinite
	ModNumber
	ModNotanumber
	ModNormal
	ModSubnormal

	ModShiftamt
	ModClamp
	ModWrap
	ModL
	ModR
	ModF4e
	ModB4e
	ModRc8
	ModEcl
	ModEcr
	ModRc16

	ModSync
	ModAligned
	ModArrive
	ModRed
	ModWait
	ModAll
	ModAny
	ModUni
	ModBallot
	ModUp
	ModDown
	ModBfly
	ModIdx

	ModNc
	ModCa
	ModCg
	ModCs
	ModLu
	ModCv
	ModWb
	ModWt
	ModL2CacheHint

	ModTo
	ModRange
	ModFractional
	ModCvt

	ModRelaxed
	ModProxy
	ModAlias
	ModAsync

	ModRow
	ModCol
	ModTrans

	ModExpectTx
	ModNoComplete
	ModNoinc
	ModParity
	ModMask
	numNamedMods
)

var modNames = [numNamedMods]string{
	ModFtz: "ftz", ModSat: "sat", ModSatfinite: "satfinite", ModRelu: "relu", ModOob: "oob", ModApprox: "approx",
	ModFull: "full", ModNaN: "NaN", ModXorsign: "xorsign", ModAbs: "abs", ModNoftz: "noftz",
	ModCc: "cc", ModHi: "hi", ModLo: "lo", ModWide: "wide",
	ModAnd: "and", ModOr: "or", ModXor: "xor", ModAdd: "add", ModMin: "min", ModMax: "max",
	ModInc: "inc", ModDec: "dec", ModExch: "exch", ModCas: "cas", ModPopc: "popc",
	ModFinite: "finite", ModInfinite: "infinite", ModNumber: "number", ModNotanumber: "notanumber", ModNormal: "normal", ModSubnormal: "subnormal",
	ModShiftamt: "shiftamt", ModClamp: "clamp", ModWrap: "wrap", ModL: "l", ModR: "r", ModF4e: "f4e",
	ModB4e: "b4e", ModRc8: "rc8", ModEcl: "ecl", ModEcr: "ecr", ModRc16: "rc16",
	ModSync: "sync", ModAligned: "aligned", ModArrive: "arrive", ModRed: "red", ModWait: "wait", ModAll: "all",
	ModAny: "any", ModUni: "uni", ModBallot: "ballot", ModUp: "up", ModDown: "down", ModBfly: "bfly",
	ModIdx: "idx",
	ModNc:  "nc", ModCa: "ca", ModCg: "cg", ModCs: "cs", ModLu: "lu", ModCv: "cv",
	ModWb: "wb", ModWt: "wt", ModL2CacheHint: "L2::cache_hint",
	ModTo: "to", ModRange: "range", ModFractional: "fractional", ModCvt: "cvt",
	ModRelaxed: "relaxed", ModProxy: "proxy", ModAlias: "alias", ModAsync: "async",
	ModRow: "row", ModCol: "col", ModTrans: "trans",
	ModExpectTx: "expect_tx", ModNoComplete: "noComplete", ModNoinc: "noinc", ModParity: "parity", ModMask: "mask",
}

// String returns the modifier's spelling without the dot.
func (m Mod) String() string {
	if m < numNamedMods {
		return modNames[m]
	}
	return table().mods.name(m)
}

// mods interns modifiers: the named ones and those of the table.
type mods struct {
	byName map[string]Mod
	names  []string // of numNamedMods and following
}

func newMods() *mods {
	m := &mods{byName: make(map[string]Mod, 2*numNamedMods)}
	for id := noMod + 1; id < numNamedMods; id++ {
		m.byName[modNames[id]] = id
	}
	return m
}

// intern returns the Mod spelled name, a new one if need be.
func (m *mods) intern(name string) Mod {
	if id, ok := m.byName[name]; ok {
		return id
	}
	id := numNamedMods + Mod(len(m.names))
	m.byName[name] = id
	m.names = append(m.names, name)
	return id
}

func (m *mods) name(id Mod) string {
	if id < numNamedMods {
		return modNames[id]
	}
	return m.names[id-numNamedMods]
}
