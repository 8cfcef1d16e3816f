package isa

// Class is the profile's class of an instruction form: the column
// inst_<class> that counts it (docs/columns.md).
type Class uint8

// The classes, in the order of the profile's columns.
const (
	noClass Class = iota
	FP16
	FP32
	FP64
	SpecialFP16
	SpecialFP32 // counted in inst_special and in inst_special_fp32
	SpecialFP64
	Integer
	BitConvert
	Control
	ComputeLdSt
	Atomic
	Texture
	InterThread
	Barrier
	Tensor
	Misc
	NumClasses
)

var classNames = [NumClasses]string{
	noClass: "none", FP16: "fp_16", FP32: "fp_32", FP64: "fp_64",
	SpecialFP16: "special", SpecialFP32: "special", SpecialFP64: "special",
	Integer: "integer", BitConvert: "bit_convert", Control: "control",
	ComputeLdSt: "compute_ld_st", Atomic: "atomic", Texture: "texture",
	InterThread: "inter_thread_communication", Barrier: "barrier",
	Tensor: "tensor", Misc: "misc",
}

// String returns the class as it stands in the profile's column names.
func (c Class) String() string { return classNames[c] }
