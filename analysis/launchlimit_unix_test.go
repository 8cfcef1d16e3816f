//go:build unix

package analysis

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"hyptx/internal/gpu"
)

// straightCode is n instructions without a branch; every third loads, and
// many of its values are alive for long.
func straightCode(n int) string {
	var b strings.Builder
	b.WriteString("ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x;\n")
	for i := 0; i < n; i += 3 {
		fmt.Fprintf(&b, "ld.global.u32 %%r%d, [%%rd1+%d];\nxor.b32 %%r%d, %%r%d, %%r%d;\nmul.hi.u32 %%r%d, %%r%d, %%r%d;\n",
			i%997+3, i*4%100000, i*7%997+3, i*5%997+3, i*11%997+3, i*13%997+3, i*17%997+3, i%2+1)
	}
	b.WriteString("st.global.u32 [%rd1], %r5;\n")
	return b.String()
}

// processorTime is what the process has had of the processors.
func processorTime() time.Duration {
	var u unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// loopsInARow is n/4 short loops that can be unrolled, behind each other.
func loopsInARow(n int) string {
	var b strings.Builder
	for i := range n / 4 {
		fmt.Fprintf(&b, "mov.u32 %%r%d, 0;\nL%d: mad.lo.u32 %%r%d, %%r%d, %%r%d, %%r%d;\nadd.u32 %%r%d, %%r%d, 1;\nsetp.lt.u32 %%p, %%r%d, %d;\n@%%p bra L%d;\n",
			i%97, i, i%89+100, i%83+100, i%97, i%79+100, i%97, i%97, i%97, i%7+4, i)
	}
	return "mov.u32 %r100, %tid.x;\n.reg .pred %p;\n" + b.String() + "ld.param.u64 %rd1, [a];\nst.global.u32 [%rd1], %r100;\n"
}

// TestLaunchEndsAnywhere: a launch whose time is over ends, whatever is done for it:
// decoding, tracing, machine code for the time and for the estimate. In 200 ms two cores
// have 400 ms of processor time, which other work on the machine does not change.
func TestLaunchEndsAnywhere(t *testing.T) {
	if testing.Short() {
		t.Skip("ten seconds")
	}
	n := 100_000
	if k, err := strconv.Atoi(os.Getenv("HYPTX_INSTRUCTIONS")); err == nil {
		n = k
	}
	for name, code := range map[string]string{"straight": straightCode(n), "loops": loopsInARow(n / 8)} {
		t.Run(name, func(t *testing.T) {
			work := launchWork(t, ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n.reg .b32 %r<1000>;\n.reg .b64 %rd<2>;\n"+code+"ret;\n}\n")
			begin := processorTime()
			if err := work(t.Context()); err != nil {
				t.Fatal(err)
			}
			all := processorTime() - begin
			const moments = 16
			most := time.Duration(0)
			for k := range moments {
				at := all * time.Duration(k) / moments
				took, err := endedAt(at, work)
				if err != nil && !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				if most = max(most, took); took > 400*time.Millisecond {
					t.Errorf("%v of processor time from the end of a launch's time, after %v, to its end", took, at)
				}
			}
			t.Logf("of %v at most %v of processor time from the end of a launch's time to its end", all, most)
		})
	}
}

// launchWork returns what profiles the one launch of a program, with simulated time.
func launchWork(t *testing.T, ptx string) func(context.Context) error {
	gv100, err := gpu.Get("gv100")
	if err != nil {
		t.Fatal(err)
	}
	p := program{ptx, `{"version": 1, "buffers": {"a": {"bytes": 400000, "init": "zero"}},
		"launches": [{"module": "k.ptx", "kernel": "k", "grid": [2], "block": [64], "args": [{"buffer": "a"}]}]}`}
	s := p.session(t, Control)
	s.Options.Simulate = []*gpu.GPU{gv100}
	chosen := []bool{true}
	filters, runs, err := s.prepare(t.Context(), chosen)
	if err != nil {
		t.Fatal(err)
	}
	s.simulates = true
	slices := s.simulation.slices
	return func(ctx context.Context) error {
		s.codes = nil
		if s.simulation, err = s.newSimulation(); err != nil {
			return err
		}
		s.simulation.slices = slices
		lp, err := s.profileLaunch(ctx, s.launches[0], filters[0], runs[0])
		if err == nil {
			s.newProfile().add(lp)
		}
		return err
	}
}

// endedAt does work whose context ends when the process has had so much more of the
// processors, and returns what it has from then to the end of the work.
func endedAt(at time.Duration, work func(context.Context) error) (took time.Duration, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	begin, ended := processorTime(), make(chan time.Duration, 1)
	go func() {
		for ctx.Err() == nil && processorTime()-begin < at {
			time.Sleep(time.Millisecond)
		}
		ended <- processorTime()
		cancel()
	}()
	err = work(ctx)
	end := processorTime()
	cancel()
	return max(0, end-<-ended), err
}
