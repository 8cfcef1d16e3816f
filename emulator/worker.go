package emulator

import (
	"math/bits"
	"time"
	"unsafe"

	"hyptx/emulator/internal/lanes"
	"hyptx/internal/adder"
	"hyptx/internal/order"
	"hyptx/internal/traffic"
	"hyptx/internal/traffic/stream"
)

// What runs belongs to a worker, and nothing of it is shared or locked. The counters
// of warps that run are their CTA's; the arena's slots move when it grows, which is
// why a warp's view of them (slots) is set anew whenever a frame is entered.

// worker runs CTAs, one after the other or in turns, on private state.
type worker struct {
	launch *launch
	prog   *Program
	// arena holds the constants of the program, then the frames of all warps
	// that are alive.
	arena []lanes.Slot
	top   int // first free slot
	// tmp is where a lane function writes when not all lanes execute.
	tmp        [4]lanes.Slot
	freePaths  []*path
	freeSplits []*split
	freeFrames [][]*frame // by function
	freeWarps  []*warp
	freeCTAs   []*cta
	// freeClusters are those that have ended.
	freeClusters []*cluster
	// async is the asynchronous work at hand, asyncFrom what its operands depend on, nil
	// where that is not followed.
	async     asyncWork
	asyncFrom *order.Lanes
	noCTA     *cta // what stands for those of clusters that do not run
	// budget is how many warp instructions may run before the worker asks the
	// launch for more; granted is what it was when the launch last knew.
	budget, granted int64
	// step is how many it asks for, since began.
	step   int64
	began  time.Time
	stores uint64
	addr   [lanes.Width]uint64 // of the present access
	// matrix, fragment and scratch are mma's operands and results.
	matrix, fragment []*lanes.Slot
	scratch          [32]lanes.Slot
	kept             *keptSlots    // operands that are looked at, nil before they are
	watched          *productWatch // a product whose results are looked at, nil without
	group            *groupSpace   // of wgmma, nil before it is needed
	product          *productSpace // of tcgen05.mma, nil before there is one
	// rounds are the last rounds of the program's loops that repeat; turns
	// counts the times that a path gave way. skipped are the warp instructions
	// that were counted, not run.
	rounds  []round
	turns   uint64
	skipped uint64
	// cache is the buffer that each global access touched last.
	cache []*Buffer
	// opaque is the texture, surface or sampler that was named last.
	opaque *opaque
	// views are the buffers as the worker sees them while workers keep to
	// themselves what they write (speculate.go), nil where they need not.
	views map[*Buffer]*Buffer
	// old is what the lanes of a store write over, absent are the lanes of a
	// shuffle that read from one that takes no part, open those of whose values the manual
	// leaves open what comes: for following origins.
	old     [lanes.Width][maxVectorBytes]byte
	hashes  [lanes.Width][maxVector]uint32
	apart   [maxElements]order.Lanes // of a vector load
	moved   []movedCells             // by the asynchronous work that is looked at
	handed  order.Lanes              // by a shuffle
	dropped [16]byte                 // where stores that hit no memory go
	absent  uint32
	open    uint32
	// counting is the traffic so far, nil where nobody asked.
	counting *counting
	// held is the memory of what it runs, as far as that counts against the limit.
	held int64
}

// What things take of memory, for limits, beside what they hold.
const (
	ctaBytes     = int64(unsafe.Sizeof(cta{}))
	barrierBytes = int64(unsafe.Sizeof(barrier{}))
	warpBytes    = int64(unsafe.Sizeof(warp{}) + unsafe.Sizeof(path{}))
	frameBytes   = int64(unsafe.Sizeof(frame{}))
	slotBytes    = int64(unsafe.Sizeof(lanes.Slot{}))
	lanesBytes   = int64(unsafe.Sizeof(order.Lanes{}))
)

// hold makes bytes count against the limit of the memory: of CTAs and warps, of
// which a grid whose CTAs wait for each other has all at a time. What has ended
// is used again, and given back with the worker (release).
func (wk *worker) hold(bytes int64) {
	wk.launch.mem.account(bytes)
	wk.held += bytes
}

// release gives back what the worker holds, when its share of the launch has ended
// in whatever way.
func (wk *worker) release() {
	wk.launch.mem.account(-wk.held)
	wk.held = 0
}

// maxVectorBytes is what a lane accesses at most at a time (PTX ISA 9.7.10.8).
const maxVectorBytes = 32

// maxElements is how many words that is.
const maxElements = maxVectorBytes / 4

// warp is 32 threads of a CTA.
type warp struct {
	// The frame of the current path, unpacked: slots of the worker's arena
	// from base on, predicates.
	slots []lanes.Slot
	base  int
	preds []uint32
	frame *frame

	worker *worker
	cta    *cta
	index  int // among the CTA's warps that run
	number int // its number in the CTA
	root   *frame
	paths  []*path
	cur    int
	// alive are the lanes that have not exited.
	alive uint32
	// yielded: a path gave way in this turn. blocked: waits as a whole at a
	// barrier (before sm_70).
	yielded, blocked bool
	counts           []uint64
	// local is the threads' stacks, lane by lane, each localCap bytes.
	// implicit is what the warp's decisions so far have depended on: whatever it
	// stores from then on depends on it, too.
	implicit order.Origin
	comings  comings
	// born are the lanes that the warp had at its start, remet those that have parted from
	// others and met them again.
	born, remet uint32
	// hashes are the threads' paths, nil if nobody asked; entered are the blocks that lanes
	// came to, in their order. listens: somebody hears of each segment (hear).
	hashes       []pathHash
	entered      []entered
	listens      bool
	followed     uint32 // lanes whose steps somebody hears
	local        []byte
	localCap     int64
	localOrigins []order.Origin // by byte, as local
	localSeen    []bool         // which of them were written, of a program that is checked
	parted       []partedBarrier
	begunCopies  begunCopies // of a program that is checked
	begunBulk    begunBulk
	begunTensor  begunTensor
	fencing      uint32 // the lanes of its last fence
	metCluster   uint32 // how many phases of its cluster's barrier all its lanes have seen to be over
	question     question
	localPlace   place
	dynamic      *dynamicStack // nil before an alloca
	// products are the wgmmas that nobody has waited for, groups the number of groups of
	// them that are complete: for following origins.
	products []pendingProduct
	inGroup  uint64 // what it has executed together with its warpgroup
	groups   uint64
	// order is what its threads know of others, when origins are followed.
	order order.Warp
	// async is what its asynchronous work knows (originasync.go), multiplying what its
	// wgmmas that read do (origingroup.go), fetching its cp.asyncs (origincopy.go), tensoring
	// what else works on tensor memory (origintensor.go).
	async, multiplying, fetching, tensoring order.Warp
	// moved is what counting its accesses keeps of it.
	moved traffic.Warp
	// sent is what the present instruction has done to the CTAs of its cluster, for the trace.
	sent []stream.Sent
	// adds are its additions, nil where nobody watches.
	adds *adder.Stream
}

// slot returns the place of an operand.
func (w *warp) slot(o operand) *lanes.Slot {
	return &w.slots[int(o.off)+w.base&int(o.mask)]
}

// wide views two slots as a 64-bit register.
func wide(s *lanes.Slot) *[lanes.Width]uint64 { return lanes.Wide(s) }

// quad views four slots as a 128-bit register.
func quad(s *lanes.Slot) *[lanes.Width][2]uint64 { return lanes.Quad(s) }

// fullMask has all lanes.
const fullMask = ^uint32(0)

func popcount(m uint32) uint64 { return uint64(bits.OnesCount32(m)) }

// cta is a thread block in execution.
type cta struct {
	linear  int64
	cluster *cluster
	id      [3]uint32
	warps   []*warp
	shared  []byte
	// order and shadow say who did what to shared, when origins are followed.
	order  order.CTA
	shadow *order.Shadow
	// cells are who touched it since the last barrier, when it is checked.
	cells *sharedCells
	// phases are how many are over of its mbarrier objects, in a program that asks for their
	// states (statetag.go).
	phases map[uint64]uint32
	// places are those of its variables (placeOf); none before one is asked for.
	places []place
	bars   []barrier // as many as the program may use; those of warpgroups come last
	counts []uint64
	// unknown is how many bytes a copy by a tensor map that nobody gave may have filled.
	unknown uint64
	// tensor is its tensor memory, nil before it is needed.
	tensor *tensorMemory
	// next is the warp whose turn it is, turns who comes next, draws how often that
	// was drawn.
	next  int
	turns turns
	draws uint64
	// requests are what it asks of the caches, nil where nobody listens.
	requests *stream.CTA
	adds     *adder.CTA
}
