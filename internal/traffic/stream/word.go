package stream

// The grains of a stream.
const (
	// SectorBytes is the unit in which caches fetch on every target since Volta
	// (docs/columns.md, gld_transactions).
	SectorBytes = 32
	// BlockBytes is how far sectors of a request may lie apart and still travel
	// together: a line of the L1 and L2 of every GPU since Fermi.
	BlockBytes = 128
	// BlockSectors are the sectors of a block.
	BlockSectors = BlockBytes / SectorBytes
)

// Kind is what a request does.
type Kind uint8

// The kinds.
const (
	Load Kind = iota
	// LoadPast is a load that the L1 must not answer (ld.cg, ld.volatile ...).
	LoadPast
	// Store writes its sectors as a whole, StorePart only the bytes of them that
	// the masks of its shape name.
	Store
	StorePart
	Atomic
)

// Word is the first word of a request, and of the parts of one that lie in one
// block each:
//
//	bits 0-3   the sectors touched, if it is one block
//	bits 4-6   kind
//	bit  7     it is one block, and nothing follows
//	bits 8-63  the number of its (first) block: byte address / 128
//
// Otherwise one word follows, the number of the request's shape; or, if that
// has the bit inline, it is the number of words that follow, and these are the
// shape itself.
type Word uint64

const (
	maskBits        = 1<<BlockSectors - 1
	kindShift       = BlockSectors
	kindBits        = 7
	single     Word = 1 << 7
	blockShift      = 8
	inline     Word = 1 << 63
)

// head makes the first word of a request that begins in a block.
func head(kind Kind, block uint64) Word { return Word(block<<blockShift | uint64(kind)<<kindShift) }

// Kind returns what the request does.
func (w Word) Kind() Kind { return Kind(w >> kindShift & kindBits) }

// Block returns the number of the (first) block.
func (w Word) Block() uint64 { return uint64(w >> blockShift) }

// Sectors returns the sectors of the block that are touched, a bit each.
func (w Word) Sectors() uint8 { return uint8(w & maskBits) }

// Single reports whether the request is one block, so that the word is all of
// it.
func (w Word) Single() bool { return w&single != 0 }

// Part returns what of the request lies in a block of its shape, as a request of
// its own.
func (w Word) Part(block Word) Word { return w + block | single }

// Only returns the part of a block that these sectors are, as a request of its
// own.
func (w Word) Only(sectors uint8) Word { return w&^maskBits | single | Word(sectors) }

// Past returns a load as one that the L1 does not answer.
func (w Word) Past() Word { return w | Word(LoadPast)<<kindShift }

// Length returns how many words the first request of a stream takes.
func Length(words []Word) int {
	switch {
	case words[0].Single():
		return 1
	case words[1]&inline == 0:
		return 2
	}
	return 2 + int(words[1]&^inline)
}

// Local memory is no place in a launch's address space: each thread that is
// resident has its own, and the one that follows it there gets the same. Its
// blocks have bit 55. A warp has a window of 16 MiB, more than the 512 KiB a
// thread that PTX allows (PTX ISA 5.1.4), and a CTA has room for 256 of them;
// which windows they are is only known when a CTA gets its place on an SM.
const (
	WindowBits    = 17 // of the number of a block in 16 MiB
	localBlock    = 1 << 55
	windowMask    = 1<<WindowBits - 1
	ctaWindowBits = WindowBits + 8
	maxWarps      = 1 << (ctaWindowBits - WindowBits)
)

// Local reports whether the request is one of local memory.
func (w Word) Local() bool { return w>>blockShift&localBlock != 0 }

// Place moves a request of local memory to the windows of the n-th place for a
// CTA on the GPU.
func (w Word) Place(n int) Word { return w + Word(n)<<ctaWindowBits<<blockShift }
