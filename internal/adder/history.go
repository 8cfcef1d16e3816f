package adder

// A history predicts that an add carries as the one before it did that had the same
// entry. Entries are rows, by instruction; with a thread or a lane in the index a row
// has an entry for each lane (bylane.go), else the lanes of a warp share one
// (sharing.go).
//
// The paper leaves open when an entry is written. Its text says that it holds the
// carries of the last add (Always), its hardware writes it after a misprediction only
// (OnMiss): that differs where peeking makes up for a wrong bit. And where lanes share
// an entry it leaves open whether a lane sees what the one below it in the same
// instruction wrote (Sequential) or all read before any writes (Parallel).
//
// The designs of an SM that are histories are worked on together, since they have much
// in common: what an entry comes to that lanes share is worked out once an addition, for
// all designs whose entry is the same.

// Update says when histories learn.
type Update string

// The rules.
const (
	Always Update = "always"
	OnMiss Update = "onmiss"
)

// Intra says what lanes of one instruction see of each other in a shared entry.
type Intra string

// The orders.
const (
	Sequential Intra = "sequential"
	Parallel   Intra = "parallel"
)

var _ = register("Prev", maker{indexed: true})

// smWarps is how many warps an SM holds: those of 2,048 threads, whose number in the
// SM has 11 bits.
const smWarps = 64

// lanewise reports whether an entry is one lane's.
func (x Index) lanewise() bool { return x.Thread || x.Lane }

// everywhere is bit i of an entry for all lanes.
func everywhere(entry uint32, i int) uint32 { return -(entry >> i & 1) }
