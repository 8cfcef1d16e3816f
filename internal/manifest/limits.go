package manifest

import "hyptx/internal/strictjson"

// A manifest may come from anywhere. A few bytes of it can ask for much: three
// nested repeats for 10^27 launches, a header for 4 GB, a shape for 2^64 bytes.
// Each such number meets a limit before memory or time is spent on it.

// Limits on what a manifest may hold, so that a bad one is an error and not an
// exhausted machine. Every message that states one names its constant's value.
const (
	// MaxFileBytes is the largest manifest.
	MaxFileBytes = 64 << 20
	// MaxJSONValues is how many JSON values (objects, lists, numbers, ...) one
	// manifest may hold; larger data belongs in a .npy file.
	MaxJSONValues = 1 << 20
	// MaxNesting is how deep objects and lists may stand in each other.
	MaxNesting = 100
	// MaxSteps is how many launches, host steps and repeats a manifest may
	// have once every repeat is written out.
	MaxSteps = 1 << 20
	// MaxCount is the largest count of a launch.
	MaxCount = 1<<31 - 1
	// MaxParamBytes is the largest parameter block of a kernel (PTX ISA 5.2.1:
	// 32764 bytes from PTX 8.1 on, sm_70 and later).
	MaxParamBytes = 32764
	// MaxNumberChars is the longest number.
	MaxNumberChars = 128
	// MaxHeaderBytes is the largest header of a .npy or .safetensors file.
	MaxHeaderBytes = 16 << 20
	// MaxInflatedBytes is the largest compressed member of a .npz file: it is
	// inflated as a whole. Members that are stored have no limit.
	MaxInflatedBytes = 1 << 30
	// MaxNameBytes is the longest name of a buffer, module or output.
	MaxNameBytes = 4096
)

var jsonLimits = strictjson.Limits{Bytes: MaxFileBytes, Values: MaxJSONValues, Nesting: MaxNesting,
	Advice: "put large data into files of their own (.npy)"}

// Where buffers lie. Each is aligned to at least BufferAlign, with GuardBytes
// between one and the next, so that sector counts repeat everywhere.
const (
	FirstAddress uint64 = 0x7f0000000000
	EndAddress   uint64 = 0x800000000000 // the end of a 47-bit address space
	BufferAlign         = 256
	GuardBytes          = 256
	// A module with 32-bit addresses has its buffers from here on.
	firstNarrow uint64 = 0x10000000
	endNarrow   uint64 = 1 << 32
	// ElasticBytes is the window of a pointer parameter of which nothing is
	// known; narrowBytes where addresses have 32 bits, of which so many fit there
	// as a kernel may have parameters (own choice).
	ElasticBytes = 4 << 30
	narrowBytes  = 32 << 20
	maxAlign     = 1 << 32
)
