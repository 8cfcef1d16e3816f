package cuda_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"hyptx/internal/hardware/cuda"
	"hyptx/internal/hardware/cuda/cudatest"
)

// function loads a module with a kernel.
func function(t *testing.T, c *cuda.Context, ptx, name string) *cuda.Function {
	t.Helper()
	m, err := c.Load([]byte(ptx))
	ok(t, err)
	f, err := m.Function(name)
	ok(t, err)
	return f
}

const kernels = `.version 8.0
.target sm_90
.visible .entry nothing() { ret; }
.visible .entry illegal() { ret; }
.visible .entry scalars(.param .u64 out, .param .align 4 .b8 pair[12], .param .f32 x) { ret; }
`

// TestLaunchForms: each form of launch with the call that it needs.
func TestLaunchForms(t *testing.T) {
	d := cudatest.Use(t)
	c := open(t, d)
	defer c.Close()
	f := function(t, c, kernels, "nothing")
	grid, block := [3]uint32{16, 2, 1}, [3]uint32{32, 2, 1}
	for _, test := range []struct {
		name   string
		launch cuda.Launch
		calls  []string
	}{
		{"plain", cuda.Launch{}, []string{"cuLaunchKernel 16,2,1 32,2,1 0"}},
		{"with the kernel's own 128 bytes just 48 KiB", cuda.Launch{SharedBytes: 49024}, []string{"cuFuncGetAttribute 1", "cuLaunchKernel 16,2,1 32,2,1 49024"}},
		{"one byte more", cuda.Launch{SharedBytes: 49025}, []string{"cuFuncGetAttribute 1", "cuFuncSetAttribute 8 49025", "cuLaunchKernel 16,2,1 32,2,1 49025"}},
		{"as much again", cuda.Launch{SharedBytes: 49025}, []string{"cuLaunchKernel 16,2,1 32,2,1 49025"}},
		{"shared", cuda.Launch{SharedBytes: 60000}, []string{"cuFuncGetAttribute 1", "cuFuncSetAttribute 8 60000", "cuLaunchKernel 16,2,1 32,2,1 60000"}},
		{"one CTA is no cluster", cuda.Launch{Cluster: [3]uint32{1, 1, 1}}, []string{"cuLaunchKernel 16,2,1 32,2,1 0"}},
		{"cooperative", cuda.Launch{Cooperative: true}, []string{"cuLaunchCooperativeKernel 16,2,1 32,2,1 0"}},
		{"cluster", cuda.Launch{Cluster: [3]uint32{4, 2}, SharedBytes: 64}, []string{"cuLaunchKernelEx 16,2,1 32,2,1 64", " attribute 4 4,2,1"}},
		{"large cluster", cuda.Launch{Cluster: [3]uint32{16}, Cooperative: true},
			[]string{"cuFuncSetAttribute 14 1", "cuLaunchKernelEx 16,2,1 32,2,1 0", " attribute 4 16,1,1", " attribute 2 1,0,0"}},
	} {
		d.Calls()
		test.launch.Grid, test.launch.Block = grid, block
		if err := f.Launch(test.launch); err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		calls := slices.DeleteFunc(d.Calls(), func(call string) bool { return strings.HasPrefix(call, "cuFuncGetParamInfo") })
		if !slices.Equal(calls, test.calls) {
			t.Errorf("%s: calls %q, want %q", test.name, calls, test.calls)
		}
	}
	wants(t, f.Launch(cuda.Launch{Grid: grid, Block: block, SharedBytes: 300000}), "300000 bytes of dynamic shared memory: cuFuncSetAttribute: CUDA_ERROR_INVALID_VALUE (1)")
	wants(t, f.Launch(cuda.Launch{Grid: grid}), "cuLaunchKernel: CUDA_ERROR_INVALID_VALUE (1): invalid argument")
}

// TestParams: parameters reach the kernel as they are, and others than it has
// are an error: the driver would read past their ends.
func TestParams(t *testing.T) {
	d := cudatest.Use(t)
	c := open(t, d)
	defer c.Close()
	f := function(t, c, kernels, "scalars")
	one := [3]uint32{1, 1, 1}
	pair := []byte("abcdefghijkl")
	d.Calls()
	ok(t, f.Launch(cuda.Launch{Grid: one, Block: one, Params: [][]byte{u64(1), pair, u32(7)}}))
	log := strings.Join(d.Calls(), "\n")
	for _, want := range []string{" param 1 6162636465666768696a6b6c", " param 2 07000000"} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %q:\n%s", want, log)
		}
	}
	for _, test := range []struct {
		params [][]byte
		want   string
	}{
		{[][]byte{u64(1), pair}, "kernel scalars has 3 parameters, not 2"},
		{[][]byte{u64(1), pair, u32(7), u32(8)}, "kernel scalars has 3 parameters, not 4"},
		{[][]byte{u64(1), pair[:8], u32(7)}, "kernel scalars: parameter 1 has 12 bytes, not 8"},
		{nil, "kernel scalars has 3 parameters, not 0"},
	} {
		wants(t, f.Launch(cuda.Launch{Grid: one, Block: one, Params: test.params}), test.want)
	}
	d.Set("FAIL", "cuFuncGetParamInfo:801@5")
	f = function(t, c, kernels, "scalars") // the driver does not tell any more
	ok(t, f.Launch(cuda.Launch{Grid: one, Block: one, Params: [][]byte{u64(1), pair, u32(7), u32(8)}}))
}

// TestAttributes of a compiled kernel.
func TestAttributes(t *testing.T) {
	c := open(t, cudatest.Use(t))
	defer c.Close()
	f := function(t, c, kernels, "nothing")
	for name, get := range map[string]func() (int, error){"24": f.Registers, "16": f.LocalBytes, "128": f.StaticSharedBytes, "1024": f.MaxThreads} {
		n, err := get()
		if want := map[string]int{"24": 24, "16": 16, "128": 128, "1024": 1024}[name]; err != nil || n != want {
			t.Errorf("%d, %v; want %d", n, err, want)
		}
	}
}

// TestLoadErrors: the compiler's log is in the error.
func TestLoadErrors(t *testing.T) {
	c := open(t, cudatest.Use(t))
	defer c.Close()
	_, err := c.Load([]byte(kernels + "not_ptx"))
	wants(t, err, "cuModuleLoadDataEx: CUDA_ERROR_INVALID_PTX (218): a PTX JIT compilation failed: ptxas application ptx input, line 7; fatal   : Parsing error near 'not_ptx': syntax error")
	compile := (*cuda.CompileError)(nil)
	if !errors.As(err, &compile) || !strings.HasPrefix(compile.Log, "ptxas") {
		t.Errorf("%v is no CompileError with a log", err)
	}
	_, err = c.Load([]byte("a\x00b"))
	wants(t, err, "the PTX holds a zero byte")
	m, err := c.Load([]byte(kernels))
	ok(t, err)
	if !strings.Contains(m.InfoLog, "bytes of PTX") {
		t.Errorf("info log %q", m.InfoLog)
	}
	_, err = m.Function("nope")
	wants(t, err, "kernel nope: cuModuleGetFunction: CUDA_ERROR_NOT_FOUND (500): named symbol not found")
	_, _, err = m.Global("nope")
	wants(t, err, "variable nope: cuModuleGetGlobal_v2: CUDA_ERROR_NOT_FOUND (500)", "unless it is .visible")
}

// TestSticky: an illegal address ends a context; the next one works.
func TestSticky(t *testing.T) {
	d := cudatest.Use(t)
	c := open(t, d)
	f := function(t, c, kernels, "illegal")
	one := [3]uint32{1, 1, 1}
	ok(t, f.Launch(cuda.Launch{Grid: one, Block: one}))
	err := c.Synchronize()
	wants(t, err, "cuCtxSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access was encountered")
	e := (*cuda.Error)(nil)
	if !errors.As(err, &e) || !e.Sticky() || !c.Lost() {
		t.Errorf("sticky %v, lost %v; want both", e.Sticky(), c.Lost())
	}
	_, err = c.Alloc(8)
	wants(t, err, "cuMemAlloc_v2: CUDA_ERROR_ILLEGAL_ADDRESS (700)")
	ok(t, c.Close())
	if calls := strings.Join(d.Calls(), "\n"); !strings.Contains(calls, "cuDevicePrimaryCtxReset_v2") {
		t.Errorf("the context was not reset:\n%s", calls)
	}
	c = open(t, d)
	f = function(t, c, kernels, "nothing")
	ok(t, f.Launch(cuda.Launch{Grid: one, Block: one}))
	ok(t, c.Synchronize())
	ok(t, c.Close())

	d.Set("FAIL", "cuCtxSynchronize:719,cuDevicePrimaryCtxReset_v2:802")
	c = open(t, d)
	wants(t, c.Synchronize(), "CUDA_ERROR_LAUNCH_FAILED (719)")
	wants(t, c.Close(), "cuDevicePrimaryCtxReset_v2: ", "(802)")
}

// TestWait: an event is waited for as long as it takes, or as ctx allows.
func TestWait(t *testing.T) {
	d := cudatest.Use(t)
	d.Set("BUSY", "5")
	c := open(t, d)
	e, err := c.Event()
	ok(t, err)
	ok(t, e.Record())
	ok(t, c.Wait(context.Background(), e))
	if done, err := e.Done(); !done || err != nil || c.Left() {
		t.Errorf("done %v, %v, left %v; want done", done, err, c.Left())
	}
	ok(t, c.Close())

	d.Set("BUSY", "1000000000")
	c = open(t, d)
	e, err = c.Event()
	ok(t, err)
	ok(t, e.Record())
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if err := c.Wait(ctx, e); !errors.Is(err, context.DeadlineExceeded) || !c.Left() {
		t.Errorf("%v, left %v; want the deadline", err, c.Left())
	}
	d.Calls()
	ok(t, c.Close())
	if calls := d.Calls(); len(calls) != 1 || calls[0] != "" {
		t.Errorf("closing a GPU that is busy calls %q, which would wait", calls)
	}
}
