package hierarchy

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"hyptx/internal/gpu"
	"hyptx/internal/traffic"
	"hyptx/internal/traffic/stream"
)

// launches lets listeners hear two launches of random requests, of which the
// second needs more shared memory than some GPUs have.
func launches(t *testing.T, l Listeners) (moved [][]Result) {
	t.Helper()
	const ctas = 3000
	r := rand.New(rand.NewPCG(3, 8))
	empty := traffic.NewFootprint(func(int64) error { return nil })
	for _, shared := range []int{0, 80 << 10} {
		if err := l.Begin(gpu.CTA{Threads: 64, RegistersPerThread: 32, SharedBytes: shared}, ctas); err != nil {
			t.Fatal(err)
		}
		q := stream.NewQueue(l.Take, func(n int64) int64 { return n })
		for linear := range int64(ctas) {
			c := q.CTA(linear, 2)
			for warp := range 2 {
				for range r.IntN(6) {
					cells := []stream.Cell{{Sector: 0, Bytes: 0xff}, {Sector: uint64(1 + r.IntN(9)), Bytes: 0xff00}}
					if err := c.Add(warp, stream.Kind(r.IntN(5)), r.IntN(4) == 0, r.Uint64N(1<<14), cells, &stream.Forms{}); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := q.Done(c); err != nil {
				t.Fatal(err)
			}
		}
		moved = append(moved, l.End(empty, 0))
	}
	return moved
}

// TestListeners: several GPUs that listen to one run hear what each of them would
// have heard alone, also where one of them cannot run a launch, or sees a sample.
func TestListeners(t *testing.T) {
	for _, sample := range []Sample{{}, {Share: 0.2}} {
		var all Listeners
		var alone [][][]Result
		for _, name := range []string{"t4", "gv100", "tesla-k20c"} {
			g, err := gpu.Get(name)
			if err != nil {
				t.Fatal(err)
			}
			for together := range 2 {
				h, err := New(g, sample, 2, 1<<30, nil, false)
				if err != nil {
					t.Fatal(err)
				}
				if together == 1 {
					all = append(all, h)
				} else {
					alone = append(alone, launches(t, Listeners{h}))
				}
			}
		}
		moved := launches(t, all)
		for i := range all {
			for n := range moved {
				if got, want := moved[n][i], alone[i][n][0]; !reflect.DeepEqual(got, want) {
					t.Errorf("%s, launch %d, sample %v: %+v, alone %+v", all[i].GPU.Name, n, sample, got, want)
				}
			}
		}
		if limit := (*gpu.LimitError)(nil); !errors.As(moved[1][0].Unfit, &limit) || moved[1][1].Unfit != nil {
			t.Errorf("80 KiB of shared memory on a T4: %v; on a V100: %v", moved[1][0].Unfit, moved[1][1].Unfit)
		}
		if moved[0][0].Counters == moved[0][1].Counters {
			t.Error("a T4 and a V100 moved the same")
		}
	}
}
