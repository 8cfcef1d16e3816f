package check

// Party is a thread at an instruction, as the emulator knows it.
type Party struct {
	PC          uint32
	CTA, Thread [3]uint32
}

// Fact is what a launch that is checked notes of an instruction: the first lane that it
// was found of, and how many there were. Of two parties Other came first.
type Fact struct {
	Kind   Kind
	At     Party
	Other  *Party
	Space  string
	Object string
	// Offset is from the beginning of the object, Address that of the access, Bytes how
	// many are accessed.
	Offset  int64
	Address uint64
	Bytes   int
	// Least and Most are the offsets that are farthest apart of accesses beyond the object.
	Least, Most int64
	// ObjectBytes is the size of the object, 0 if it is not known.
	ObjectBytes int64
	Count       uint64
	// Astray is the object that lies at an address which stems from Object, and where in it; ""
	// for none.
	Astray   string
	AstrayAt int64
	// Said is what was wrong, in the words of the emulator; "" where the kind says all.
	Said string
}

// Log is what one launch notes. The emulator fills it on one worker.
type Log struct {
	Facts []Fact
	// Suspect says that a filter has seen two threads at one place of memory which nothing
	// as coarse as itself puts in order: whether anything else does, the happens-before
	// detector has to say, which has not run. SuspectAt is the instruction.
	Suspect bool
	// Unfiltered: the launch does what the filter does not look at, copies, objects, barriers
	// of some threads. Of those the detector says more than whether accesses race.
	Unfiltered bool
	SuspectAt  uint32
	// Launch is the number of the launch, Heap what its program has of the device's heap.
	Launch int
	Heap   *Heap
	// SharedAt names the variable of shared memory at an address, once the launch has begun.
	SharedAt func(addr uint64) (name string, offset, bytes int64)
	// Stems is, by instruction, the buffer that its address stems from for certain; nil
	// where nobody knows of any.
	Stems []Stem
	// SharedStems are those in shared memory: of a copy both are known.
	SharedStems []Stem
	index       map[factKey]int
}

// Stem is a buffer, or a variable of shared memory, of which the launch knows where it lies:
// Object names it. One without bytes says nothing.
type Stem struct {
	Object      string
	Shared      bool
	Base, Bytes uint64
}

type factKey struct {
	kind Kind
	pc   uint32
}

// maxFacts bounds the facts of a launch; there are no more than a few for each
// instruction, so that only a text made for it comes so far.
const maxFacts = 100_000

// Note counts something found at an instruction. It returns the fact if it is new, to be
// filled in, else nil.
func (l *Log) Note(kind Kind, pc uint32) *Fact {
	key := factKey{kind, pc}
	if i, ok := l.index[key]; ok {
		l.Facts[i].Count++
		return nil
	}
	if len(l.Facts) == maxFacts {
		return nil
	}
	if l.index == nil {
		l.index = map[factKey]int{}
	}
	l.index[key] = len(l.Facts)
	l.Facts = append(l.Facts, Fact{Kind: kind, At: Party{PC: pc}, Count: 1})
	return &l.Facts[len(l.Facts)-1]
}

// Find returns what was noted at an instruction, nil if nothing was.
func (l *Log) Find(kind Kind, pc uint32) *Fact {
	if i, ok := l.index[factKey{kind, pc}]; ok {
		return &l.Facts[i]
	}
	return nil
}

// Suspects notes that a filter cannot tell whether two accesses are in order.
func (l *Log) Suspects(pc uint32) {
	if !l.Suspect {
		l.Suspect, l.SuspectAt = true, pc
	}
}

// Heap is what malloc has given on the device and free has not taken back, and what it has, by address.
type Heap struct{ Blocks, Freed map[uint64]Block }

// Block is a piece of the heap: who asked for it, or freed it, and in which launch.
type Block struct {
	By     Party
	Launch int
	Bytes  uint64
}

// maxFreed bounds the freed blocks of which it is known who freed them.
const maxFreed = 1 << 16

// Give notes a block.
func (h *Heap) Give(at uint64, b Block) {
	if h.Blocks == nil {
		h.Blocks = map[uint64]Block{}
	}
	h.Blocks[at] = b
	delete(h.Freed, at)
}

// Take notes that a block comes back, by whom, and returns it; ok is false if nobody has it.
func (h *Heap) Take(at uint64, by Party, launch int) (b Block, ok bool) {
	if b, ok = h.Blocks[at]; !ok {
		return b, false
	}
	if delete(h.Blocks, at); h.Freed == nil {
		h.Freed = map[uint64]Block{}
	}
	if len(h.Freed) < maxFreed {
		h.Freed[at] = Block{By: by, Launch: launch, Bytes: b.Bytes}
	}
	return b, true
}
