package isa

import "sync"

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

	ModXor
	modAdd
	modCas
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

	modSync
	ModAligned
	ModArrive
	ModRed
	modBfly

	ModNc
	modCg
	modCv
	modL2CacheHint

	ModTo

	ModRow
	ModCol
	ModTrans

	ModExpectTx
	ModNoComplete
	ModNoinc
	ModParity
	numNamedMods
)

var modNames = [numNamedMods]string{
	ModFtz: "ftz", ModSat: "sat", ModSatfinite: "satfinite", ModRelu: "relu", ModOob: "oob", ModApprox: "approx",
	ModFull: "full", ModNaN: "NaN", ModXorsign: "xorsign", ModAbs: "abs", ModNoftz: "noftz",
	ModCc: "cc", ModHi: "hi", ModXor: "xor", modAdd: "add", modCas: "cas", ModPopc: "popc",
	ModFinite: "finite", ModInfinite: "infinite", ModNumber: "number", ModNotanumber: "notanumber", ModNormal: "normal", ModSubnormal: "subnormal",
	ModShiftamt: "shiftamt", ModClamp: "clamp", ModWrap: "wrap", ModL: "l", ModR: "r", ModF4e: "f4e",
	ModB4e: "b4e", ModRc8: "rc8", ModEcl: "ecl", ModEcr: "ecr", ModRc16: "rc16",
	modSync: "sync", ModAligned: "aligned", ModArrive: "arrive", ModRed: "red", modBfly: "bfly",
	ModNc: "nc", modCg: "cg", modCv: "cv", modL2CacheHint: "L2::cache_hint",
	ModTo:  "to",
	ModRow: "row", ModCol: "col", ModTrans: "trans",
	ModExpectTx: "expect_tx", ModNoComplete: "noComplete", ModNoinc: "noinc", ModParity: "parity",
}

// String returns the modifier's spelling without the dot.
func (m Mod) String() string {
	if m < numNamedMods {
		return modNames[m]
	}
	t := table().mods
	t.lock.RLock()
	defer t.lock.RUnlock()
	return t.names[m]
}

// mods interns modifiers: the named ones, then those of the table. What decodes
// an opcode compares numbers only, and a modifier that no row has is none.
type mods struct {
	lock   sync.RWMutex
	byName map[string]Mod
	names  []string
}

func newMods() *mods {
	m := &mods{byName: make(map[string]Mod, 2*numNamedMods)}
	for _, name := range modNames {
		m.intern(name)
	}
	delete(m.byName, modNames[noMod]) // nothing between two dots is no modifier
	return m
}

// intern returns the Mod spelled name, a new one if need be.
func (m *mods) intern(name string) Mod {
	m.lock.Lock()
	defer m.lock.Unlock()
	id, ok := m.byName[name]
	if !ok {
		id = Mod(len(m.names))
		m.byName[name] = id
		m.names = append(m.names, name)
	}
	return id
}

// lookup returns the Mod spelled name, if an operation that was asked for has it.
func (m *mods) lookup(name string) (Mod, bool) {
	m.lock.RLock()
	defer m.lock.RUnlock()
	id, ok := m.byName[name]
	return id, ok
}
