package device_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"hyptx/internal/hardware/cuda/cudatest"
	"hyptx/internal/hardware/device"
)

// small is everything with little noise.
var small = strings.NewReplacer("5242880", "64", "5242840", "24", "5000000", "40").Replace(everything)

// TestMessages: what goes wrong names the JSON path, the kernel and CUDA's own
// words.
func TestMessages(t *testing.T) {
	d := cudatest.Use(t)
	illegal := `{"version": 1, "launches": [{"module": "m.ptx", "label": "bad", "kernel": "illegal", "grid": [1], "block": [1], "args": []}]}`
	for _, test := range []struct{ name, fail, manifest, want string }{
		{"memory", "cuMemAlloc_v2:2@3", everything, `m.json: buffers.table: 24 bytes: cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory; the buffers take 5247160 bytes together, Stand-in GPU 0 has 1073741824, of which 1073741744 are still free`},
		{"limit", "cuCtxSetLimit:1@2", everything, "m.json: limits.heapBytes: cuCtxSetLimit: CUDA_ERROR_INVALID_VALUE (1): invalid argument"},
		{"contents", "cuMemcpyHtoD_v2:1@4", everything, "m.json: buffers.noise: cuMemcpyHtoD_v2: "},
		{"symbol", "cuModuleGetGlobal_v2:500@2", everything, "m.json: symbols[0]: variable weights: cuModuleGetGlobal_v2: CUDA_ERROR_NOT_FOUND (500): named symbol not found; "},
		{"kernel", "cuModuleGetFunction:500", everything, "m.json: launches[0]: kernel follow: cuModuleGetFunction: CUDA_ERROR_NOT_FOUND (500)"},
		{"module", "cuModuleLoadDataEx:218", everything, "m.json: symbols[0].module: "},
		{"launch", "cuLaunchKernel:701@1", everything, "m.json: launches[0]: launch 0 (look, kernel follow): cuLaunchKernel: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES (701): too many resources requested for launch"},
		{"repeated launch", "cuLaunchKernel:701@6", everything, "m.json: launches[1].steps[0]: launch 2 (kernel count_up): cuLaunchKernel: "},
		{"copy", "cuMemcpyDtoD_v2:1@1", everything, "m.json: launches[1].steps[1]: cuMemcpyDtoD_v2: "},
		{"memset", "cuMemcpyHtoD_v2:1@17", everything, "cuMemcpyHtoD_v2: "},
		{"output", "cuMemcpyDtoH_v2:1@10", everything, "m.json: outputs[3]: cuMemcpyDtoH_v2: "},
		{"illegal address", "", illegal, "m.json: launches[0]: launch 0 (bad, kernel illegal): cuEventQuery: CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access was encountered"},
	} {
		t.Run(test.name, func(t *testing.T) {
			d.Set("FAIL", test.fail)
			_, err := run(t, test.manifest)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v\nwant  %s", err, test.want)
			}
		})
	}
}

// TestKept: what was complete before an error is in the result.
func TestKept(t *testing.T) {
	d := cudatest.Use(t)
	d.Set("FAIL", "cuMemcpyDtoH_v2:719@10")
	r, err := run(t, everything)
	if err == nil || len(r.Launches) != 5 || len(r.Outputs) != 3 || r.Outputs[2].Name != "found" {
		t.Errorf("%v; %d launches and %d outputs, want 5 and 3", err, len(r.Launches), len(r.Outputs))
	}
	d.Set("FAIL", "cuLaunchKernel:719@7")
	r, err = run(t, everything)
	if err == nil || len(r.Launches) != 2 || len(r.Outputs) != 0 {
		t.Errorf("%v; %d launches and %d outputs, want 2 and none", err, len(r.Launches), len(r.Outputs))
	}
}

// TestEveryCallFails lets each call of a program fail in turn: the error names
// the call, nothing is left on the GPU, and the next run is well again.
func TestEveryCallFails(t *testing.T) {
	d := cudatest.Use(t)
	s := open(t, small)
	once := func() error {
		c := gpu(t)
		r, err := device.Run(context.Background(), c, s)
		if closing := c.Close(); closing != nil {
			t.Error(closing)
		}
		if err == nil && r.Cleanup != nil && len(r.Outputs) == 0 {
			t.Error("a failure of the cleanup has cost the outputs")
		}
		return errors.Join(err, r.Cleanup)
	}
	if err := once(); err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, line := range d.Calls() {
		name, _, _ := strings.Cut(line, " ")
		if strings.HasPrefix(name, "cu") && name != "cuInit" && !strings.Contains(name, "Primary") && !strings.Contains(name, "Device") && name != "cuCtxSetCurrent" {
			counts[name]++
		}
	}
	for name, count := range counts {
		for n := 1; n <= count; n++ {
			d.Set("FAIL", fmt.Sprintf("%s:802@%d", name, n))
			err := once()
			if err == nil || !strings.Contains(err.Error(), name+": ") {
				t.Errorf("call %d of %s fails: %v", n, name, err)
			}
			free := map[string]bool{"cuMemFree_v2": true, "cuModuleUnload": true, "cuEventDestroy_v2": true}[name]
			if calls := d.Calls(); !free && calls[len(calls)-1] != "left 0 allocations 0 modules 0 events" {
				t.Errorf("call %d of %s fails: %s", n, name, calls[len(calls)-1])
			}
		}
	}
	d.Set("FAIL", "")
	if err := once(); err != nil {
		t.Error(err)
	}
}

// TestTimeout: a launch that does not end is given up, and nothing waits for it.
func TestTimeout(t *testing.T) {
	d := cudatest.Use(t)
	d.Set("BUSY", "1000000000")
	for name, test := range map[string]struct {
		limit time.Duration
		want  string
	}{
		"launch": {10 * time.Millisecond, "m.json: launches[0]: launch 0 (look, kernel follow): more than 10ms needed: the limit of a launch"},
		"run":    {0, "m.json: launches[0]: launch 0 (look, kernel follow): interrupted"},
	} {
		t.Run(name, func(t *testing.T) {
			c := gpu(t)
			defer c.Close()
			s := open(t, small)
			ctx, cancel := context.WithCancelCause(context.Background())
			time.AfterFunc(100*time.Millisecond, func() { cancel(errors.New("interrupted")) })
			s.Options.LaunchTimeout = test.limit
			_, err := device.Run(ctx, c, s)
			if err == nil || !strings.HasSuffix(err.Error(), test.want) {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
}

// TestElastic: a pointer to unknown memory cannot be run on a GPU.
func TestElastic(t *testing.T) {
	cudatest.Use(t)
	s := open(t, everything)
	s.Manifest.Buffers[0].Elastic = true
	c := gpu(t)
	defer c.Close()
	_, err := device.Run(context.Background(), c, s)
	if err == nil || !strings.Contains(err.Error(), "buffers.data: on a GPU a pointer needs memory to point to") {
		t.Error(err)
	}
}

// heard is a Progress that counts.
type heard struct{ starts, ctas int64 }

func (h *heard) Start(string, int64) { h.starts++ }
func (h *heard) Done(n int64)        { h.ctas += n }

// TestProgress hears each launch.
func TestProgress(t *testing.T) {
	cudatest.Use(t)
	var h heard
	c := gpu(t)
	defer c.Close()
	s := open(t, everything)
	s.Options.Progress = &h
	if _, err := device.Run(context.Background(), c, s); err != nil || h != (heard{5, 5}) {
		t.Errorf("%v; heard %+v, want 5 starts and CTAs", err, h)
	}
}
