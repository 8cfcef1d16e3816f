package isa

// Space is a PTX state space (PTX ISA 5.1).
type Space uint8

// The state spaces. Generic is the absence of a space qualifier.
const (
	Generic Space = iota
	regSpace
	sregSpace
	Const
	Global
	Local
	Param // context decides: kernel parameter or call argument
	ParamEntry
	ParamFunc
	Shared        // = .shared::cta
	SharedCluster // .shared::cluster
	Tex
	TensorMemory // of tcgen05; no qualifier names it
	numSpaces
)

var spaceNames = [numSpaces]string{
	Generic: "", regSpace: "reg", sregSpace: "sreg", Const: "const", Global: "global", Local: "local",
	Param: "param", ParamEntry: "param::entry", ParamFunc: "param::func",
	Shared: "shared", SharedCluster: "shared::cluster", Tex: "tex", TensorMemory: "tensor memory",
}

// ParseSpace returns the space spelled name ("global", no dot); ok is false
// for anything else.
func ParseSpace(name string) (s Space, ok bool) {
	if name == "shared::cta" {
		return Shared, true
	}
	for s := regSpace; s < numSpaces; s++ {
		if spaceNames[s] == name {
			return s, true
		}
	}
	return Generic, false
}

// String returns the spelling with the dot, "" for generic.
func (s Space) String() string {
	if s == Generic {
		return ""
	}
	return "." + spaceNames[s]
}
