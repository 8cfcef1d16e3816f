package calibrate

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Setups. A measurement is only worth what can be said of its launch later, when
// the GPU is gone: so all that decides what a launch does is in one value, which is
// written into the log and from which the launch can be made again, on a GPU with
// params or in the emulator with manifest. The two must agree, argument by
// argument; the sizes of buffers follow from the same fields.

// Setup is a launch of a benchmark with everything that its work depends on.
type Setup struct {
	Benchmark  string `json:"benchmark"`
	CC         int    `json:"cc"` // compute capability, as 90
	Grid       int    `json:"grid"`
	Block      int    `json:"block"`
	Lanes      int    `json:"lanes"`                  // of each warp that take part
	Iterations int    `json:"iterations"`             // turns of the loop
	Entries    int    `json:"ring_entries,omitempty"` // of the ring of pointers, a power of two
	Bytes      int64  `json:"stream_bytes,omitempty"` // of the buffer that is gone through
}

// Sizes of the shapes that are measured.
const (
	warpLanes   = 32
	sweepBlock  = 1024    // one CTA fills at least half of an SM, so that no two share one while others are free
	l2RingBytes = 2 << 20 // in every L2 from Volta on, and beyond an L1
	// A stream is larger than the L2 so many times, at least minStreamBytes.
	streamOverL2   = 8
	minStreamBytes = 256 << 20
)

// Chip is what shapes depend on.
type Chip struct {
	CC, SMs     int
	L2Bytes     int64
	MemoryBytes int64
}

// Setup returns the launch of a benchmark on a chip: on all SMs, or for a sweep
// on as many as activeSMs says; iterations are 1.
func (b *Benchmark) Setup(chip Chip, activeSMs, lanes int) Setup {
	s := Setup{Benchmark: b.Name, CC: chip.CC, Grid: chip.SMs * b.CTAsPerSM, Block: b.Block, Lanes: lanes, Iterations: 1}
	if activeSMs > 0 {
		s.Grid, s.Block = activeSMs, sweepBlock
	}
	switch b.Ring {
	case inL1:
		s.Entries = l1RingBytes / ringEntry
	case inL2:
		s.Entries = l2RingBytes / ringEntry
	}
	if b.Stream {
		s.Bytes = streamBytes(max(minStreamBytes, streamOverL2*chip.L2Bytes), s.threads())
		if most := chip.MemoryBytes / 4; most > 0 && s.Bytes > most {
			s.Bytes = streamBytes(most, s.threads())
		}
	}
	return s
}

// streamTurn is what a thread moves in one turn of any stream.
const streamTurn = 64

// streamBytes rounds to whole turns of all threads.
func streamBytes(n int64, threads int) int64 {
	turn := int64(threads) * streamTurn
	return max(n/turn, 1) * turn
}

func (s *Setup) threads() int { return s.Grid * s.Block }

// dataBytes is how large the buffer data has to be.
func (s *Setup) dataBytes() int64 {
	return max(int64(s.Entries)*ringEntry, 2*s.Bytes, ringEntry)
}

func (s *Setup) outBytes() int64 { return 4 * int64(s.Grid) }

func (s *Setup) mask() uint32 { return uint32(max(s.Entries, 1) - 1) }

// params are the bytes of the measured kernel's parameters.
func (s *Setup) params(out, data uint64) [][]byte {
	return [][]byte{u64(out), u64(data), u32(uint32(s.Iterations)), u32(uint32(s.Lanes)), u32(0), u32(s.mask()), u64(uint64(s.Bytes))}
}

// prepareParams are those of the kernel that makes the ring.
func (s *Setup) prepareParams(data uint64) [][]byte {
	return [][]byte{u64(data), u32(s.mask()), u32(s.jump())}
}

func u32(v uint32) []byte { return binary.LittleEndian.AppendUint32(nil, v) }
func u64(v uint64) []byte { return binary.LittleEndian.AppendUint64(nil, v) }

// prepareBlock is the block of the kernel that makes the ring.
const prepareBlock = 256

func (s *Setup) prepareGrid() int { return (s.Entries + prepareBlock - 1) / prepareBlock }

// Parts of a launch manifest (docs/manifests.md).
type (
	object map[string]any
	list   []any
)

func value(v any) object { return object{"value": v} }

// manifest is the setup as a launch manifest that names the file of its text.
func (s *Setup) manifest(file string) ([]byte, error) {
	launches := list{}
	if s.Entries > 0 {
		launches = append(launches, object{
			"module": file, "kernel": prepareKernel, "label": prepareKernel, "grid": list{s.prepareGrid()}, "block": list{prepareBlock},
			"args": list{object{"buffer": "data"}, value(s.mask()), value(s.jump())},
		})
	}
	launches = append(launches, object{
		"module": file, "kernel": mainKernel, "label": mainKernel, "grid": list{s.Grid}, "block": list{s.Block},
		"args": list{object{"buffer": "out"}, object{"buffer": "data"}, value(s.Iterations), value(s.Lanes), value(0), value(s.mask()), value(s.Bytes)},
	})
	return json.MarshalIndent(object{
		"version": 1, "name": s.Benchmark, "launches": launches,
		"buffers": object{"out": object{"bytes": s.outBytes(), "type": "u32"}, "data": object{"bytes": s.dataBytes(), "type": "u64", "init": "zero"}},
	}, "", "  ")
}

// Emit writes a setup's text and its manifest into a folder, as NAME.ptx and
// NAME.json, and returns the manifest's file.
func (s *Setup) Emit(dir string) (string, error) {
	b, err := Lookup(s.Benchmark)
	if err != nil {
		return "", err
	}
	ptx, err := b.PTX(s.CC)
	if err != nil {
		return "", err
	}
	m, err := s.manifest(b.Name + ".ptx")
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, b.Name+".json")
	if err := os.WriteFile(filepath.Join(dir, b.Name+".ptx"), []byte(ptx), 0o644); err != nil {
		return "", fmt.Errorf("cannot write the benchmark: %w", err)
	}
	return file, os.WriteFile(file, append(m, '\n'), 0o644)
}

// Small is a chip for looking at the benchmarks without a GPU.
var Small = Chip{CC: 80, SMs: 2, L2Bytes: 1 << 20, MemoryBytes: 64 << 20}

// jump is how many entries further each entry of the ring points.
func (s *Setup) jump() uint32 {
	if s.Entries*ringEntry <= l1RingBytes {
		return unitEntries
	}
	return l2JumpUnits * unitEntries
}
