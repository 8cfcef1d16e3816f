package analysis

import (
	"testing"

	"hyptx/internal/gpu"
	"hyptx/internal/source"
)

// TestBulkTraffic: what bulk copies move of global memory, in modes memory and full alike,
// by hand. Thread 0 loads 64 bytes from byte 16 on (3 sectors), stores 48 at 40 of which a
// mask leaves 2 bytes of each 16, 3 sectors with 6 bytes, and adds to 32 at 128 (one
// sector).
func TestBulkTraffic(t *testing.T) {
	const ptx = `.version 8.7
.target sm_100
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
	.shared .align 16 .b8 tile[64];
	.shared .align 8 .b64 bar;
	.reg .pred p;
	.reg .b16 m;
	.reg .b32 r;
	.reg .b64 i, o, s;
	ld.param.u64 i, [in];
	ld.param.u64 o, [out];
	mov.u32 r, %tid.x;
	setp.ne.u32 p, r, 0;
	@p exit;
	mbarrier.init.shared.b64 [bar], 1;
	mbarrier.arrive.expect_tx.shared.b64 s, [bar], 64;
	cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [i+16], 64, [bar];
WAIT:
	mbarrier.try_wait.shared.b64 p, [bar], s;
	@!p bra WAIT;
	mov.b16 m, 0x8001;
	cp.async.bulk.global.shared::cta.bulk_group.cp_mask [o+16], [tile], 48, m;
	cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [o+128], [tile], 32;
	cp.async.bulk.commit_group;
	cp.async.bulk.wait_group 0;
	ret;
}
`
	for _, mode := range []Mode{Memory, Full} {
		s, err := openMode(t, mode, ptx, `{"version": 1, "buffers": {"in": {"type": "u32", "bytes": 256, "init": {"iota": {"start": 3, "step": 1}}}, "out": {"type": "u32", "bytes": 256, "init": "zero"}},
			"launches": [{"module": "k.ptx", "kernel": "k", "grid": [2], "block": [32], "args": [{"buffer": "in"}, {"buffer": "out"}]}]}`)
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.Profile(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		f := &p.Launches[0].Facts
		for _, c := range []struct {
			of   Counter
			want uint64
		}{
			{GlobalLoadRequests, 2}, {GlobalLoadSectors, 6}, {GlobalLoadBytes, 128}, {GlobalStoreRequests, 2}, {GlobalStoreSectors, 2 * 2}, {GlobalStoreBytes, 12},
			{AtomicRequests, 2}, {AtomicSectors, 2}, {FootprintBytes, 64 + 6 + 32}, {SharedLoadRequests, 0}, {SharedStoreRequests, 0},
		} {
			if got := f.Of(c.of); !got.Known || got.N != c.want {
				t.Errorf("mode %s: %s is %+v, by hand %d", mode, counters[c.of].what, got, c.want)
			}
		}
		if why := f.UnknownTraffic(); why != nil {
			t.Errorf("mode %s: %v", mode, why)
		}
	}
}

// tensorGEMM is the launch of ptx-samples/features/gemm_wgmma.ptx: 2 CTAs, each of which
// copies four tiles of 64 rows, and four of 16, of 32 bytes.
const tensorGEMM = `{"version": 1, "buffers": {"a": {"bytes": 16384, "init": "zero"}, "b": {"bytes": 2048, "init": "zero"}, "c": {"bytes": 8192, "init": "zero"}},
 "tensorMaps": {"ta": {"buffer": "a", "type": "f16", "dims": [64, 128], "stridesBytes": [128], "box": [16, 64], "elementStrides": [1, 1], "swizzle": "32B"},
                "tb": {"buffer": "b", "type": "f16", "dims": [64, 16], "stridesBytes": [128], "box": [16, 16], "elementStrides": [1, 1], "swizzle": "32B"}},
 "launches": [{"module": "../ptx-samples/features/gemm_wgmma.ptx", "kernel": "gemm_wgmma", "grid": [2], "block": [160],
  "args": [{"buffer": "a"}, {"buffer": "b"}, {"buffer": "c"}, {"tensorMap": "ta"}, {"tensorMap": "tb"}]}]}`

// openGEMM opens tensorGEMM.
func openGEMM(t *testing.T, o Options) *Session {
	t.Helper()
	s, err := OpenManifest(source.File{Name: "tensor.json", Text: []byte(tensorGEMM)}, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestTensorTraffic: tiles that tensor maps describe are counted row by row, in both modes;
// modes control and memory do without the products.
func TestTensorTraffic(t *testing.T) {
	var emulated []uint64
	for _, mode := range []Mode{Control, Memory, Full} {
		o := DefaultOptions()
		o.Mode = mode
		p, err := openGEMM(t, o).Profile(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		f := &p.Launches[0].Facts
		emulated = append(emulated, f.Of(EmulatedWarpInstructions).N)
		if got := f.Of(FlopTensor).N; got != 2*128*16*64 {
			t.Errorf("mode %s: %d operations of tensor cores", mode, got)
		}
		if mode == Control {
			continue
		}
		loads, stores := f.Of(GlobalLoadSectors).N, f.Of(GlobalStoreSectors).N
		if loads != 2*4*(64+16) || stores != 128*16*4/32 || f.Of(FootprintBytes).N != 16384+2048+8192 {
			t.Errorf("mode %s: %d sectors loaded, %d stored, %d bytes touched", mode, loads, stores, f.Of(FootprintBytes).N)
		}
	}
	if emulated[0] >= emulated[2] || emulated[1] >= emulated[2] {
		t.Errorf("warp instructions emulated in modes control, memory and full: %d", emulated)
	}
}

// TestTensorSimulated: the simulator waits for the tiles. With two stages the third of the four
// steps has to wait for what the first one loads, multiplies and gives free, so that where
// DRAM is too slow for multiplying to hide it, a launch takes twice what each access takes
// more; and memory brings what was counted.
func TestTensorSimulated(t *testing.T) {
	g, err := gpu.Get("h100-sxm")
	if err != nil {
		t.Fatal(err)
	}
	clock, err := g.ClockMHz()
	if err != nil {
		t.Fatal(err)
	}
	o := DefaultOptions()
	for _, ns := range []string{"1600", "3200"} {
		slow, err := g.Like([]string{"timing.dram.latency_ns=" + ns}, "a test")
		if err != nil {
			t.Fatal(err)
		}
		o.Simulate = append(o.Simulate, slow)
	}
	p, err := openGEMM(t, o).Profile(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var cycles []float64
	for _, on := range o.Simulate {
		x := p.On(on).Launches[0].Simulated
		if x == nil || x.Unfit != nil {
			t.Fatalf("%+v", x)
		}
		cycles = append(cycles, x.Cycles)
		if x.Whole.Reads != 2*4*(64+16) || x.Whole.DRAMReads != 16384/32+2048/32 {
			t.Errorf("%d sectors from the L2, %d of memory", x.Whole.Reads, x.Whole.DRAMReads)
		}
	}
	more := (3200 - 1600) * clock / 1000
	if d := (cycles[1] - cycles[0]) / more; d < 1.95 || d > 2.05 {
		t.Errorf("%.0f and %.0f cycles where DRAM takes %.0f more: %.2f times that", cycles[0], cycles[1], more, d)
	}
}
