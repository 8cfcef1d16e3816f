package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestRunDebug: what is told goes to standard output, and the outputs where somebody says.
// Thread 7 of CTA 3 of 64 threads adds a[199] = 199 and b[199] = 0.5.
func TestRunDebug(t *testing.T) {
	t.Chdir(t.TempDir())
	add := filepath.Join(filepath.Dir(samples), "examples", "vector_add.json")
	r := hyptx("run", add, "--trace", "vector_add:3,0,0:7", "--trace", "vector_add@0:0:0", "--watch", "sum[199]", "--watch", "sum[0:2]", "--first-nan", "-o", "out.json").must(t, exitDone)
	for _, want := range []string{
		"launch 0 (vector_add), CTA (3,0,0) thread (7,0,0)\n",
		"launch 0 (vector_add), CTA (0,0,0) thread (0,0,0)\n",
		"%f1=199 %f2=0.5  -> %f3=199.5\n",
		"sum[199]: 0 -> 199.5  launch 0 (vector_add)  CTA (3,0,0) thread (7,0,0)  vector_add.ptx:45",
		"sum[199] was written once\n", "sum[0:2] was written 2 times\n",
		"no NaN and no infinity",
	} {
		if !strings.Contains(r.out, want) {
			t.Errorf("lacks %q:\n%s", want, r.out)
		}
	}
	hyptx("run", add, "-o", "plain.json").must(t, exitDone)
	if read(t, "out.json") != read(t, "plain.json") {
		t.Error("the outputs differ from those of a run that is not debugged")
	}
	one := hyptx("run", add, "--trace", "vector_add:3:7", "--jobs", "1").must(t, exitDone).out
	if many := hyptx("run", add, "--trace", "vector_add:3:7", "--jobs", "8").must(t, exitDone).out; one != many || strings.Contains(one, "outputs") {
		t.Errorf("with other jobs\n%s\nand\n%s", one, many)
	}
	r = hyptx("run", add, "--trace", "vector_add:3:7", "--max-events", "2").must(t, exitDone)
	if lines := strings.Count(r.out, "\n"); lines != 4 || !strings.Contains(r.out, "20 more steps and writes are left out: the limit, option max-events, is 2\n") {
		t.Errorf("with a limit of two: %s", r.out)
	}
}

// TestRunDebugBad: what names nothing is an error that says what there is, before anything
// runs; what cannot be meant is one of the command line.
func TestRunDebugBad(t *testing.T) {
	add := filepath.Join(filepath.Dir(samples), "examples", "vector_add.json")
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{exitInput, `there is no kernel "add2"; there is vector_add`, []string{"--trace", "add2:0:0"}},
		{exitInput, "a grid of [4 1 1] CTAs: there is no such CTA", []string{"--trace", "vector_add:4:0"}},
		{exitInput, "a grid of [4 1 1] CTAs: there is no such CTA", []string{"--trace", "vector_add:0,1:0"}},
		{exitInput, "a block of [64 1 1] threads: there is no such thread", []string{"--trace", "vector_add:0:64"}},
		{exitInput, "there is no launch 1; the launches are 0 to 0", []string{"--trace", "vector_add@1:0:0"}},
		{exitInput, "there is no buffer or variable z; there are a, b, sum", []string{"--watch", "z[0]"}},
		{exitInput, "sum has 200 elements of .f32", []string{"--watch", "sum[200]"}},
		{exitInput, "sum has 200 elements of .f32", []string{"--watch", "sum[199:201]"}},
		{exitUsage, "must be KERNEL:CTA:THREAD", []string{"--trace", "vector_add:0"}},
		{exitUsage, "must be a number, or up to three with commas", []string{"--trace", "vector_add:0:-1"}},
		{exitUsage, "must be a number, or up to three with commas", []string{"--trace", "vector_add:0,0,0,0:1"}},
		{exitUsage, "must be KERNEL@LAUNCH", []string{"--trace", "vector_add@:0:0"}},
		{exitUsage, "must be BUFFER[i] or BUFFER[i:j], with numbers from 0", []string{"--watch", "sum[x]"}},
		{exitUsage, "must be BUFFER[i] or BUFFER[i:j], with numbers from 0", []string{"--watch", "sum[1"}},
		{exitUsage, "the range [3:3] is empty", []string{"--watch", "sum[3:3]"}},
		{exitUsage, "at most 4096 are watched", []string{"--watch", "sum[0:5000]"}},
		{exitUsage, "standard output gets what", []string{"--first-nan", "-o", "-"}},
		{exitUsage, "--max-events is for", []string{"--max-events", "3"}},
		{exitUsage, "must not be negative", []string{"--first-nan", "--max-events", "-3"}},
		{exitUsage, "give it a run of its own", []string{"--first-nan", "--check", "all"}},
		{exitUsage, "are for --on emulator", []string{"--first-nan", "--on", "cuda"}},
	} {
		r := hyptx(append([]string{"run", add}, c.args...)...)
		if r.code != c.code || !strings.Contains(r.errOut, c.want) || r.out != "" {
			t.Errorf("%v: exit code %d, %q, and on standard output %q; want %d and %q", c.args, r.code, r.errOut, r.out, c.code, c.want)
		}
	}
}

// TestRunDebugFault: of a program that fails all is told up to there.
func TestRunDebugFault(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", `.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p) {
	.reg .b64 %rd<2>;
	ld.param.u64 %rd1, [p];
	st.global.u32 [%rd1], 5;
	st.global.u32 [%rd1+16], 6;
	ret;
}
`)
	put(t, "m.json", `{"version": 1, "buffers": {"b": {"bytes": 16, "type": "u32"}}, "launches": [
		{"module": "k.ptx", "kernel": "k", "grid": [1], "block": [1], "args": [{"buffer": "b"}]}]}`)
	r := hyptx("run", "m.json", "--trace", "k:0:0", "--watch", "b[0]").must(t, exitInput)
	for _, want := range []string{"b[0]: 0 -> 5", "[b[0] 0x7f0000000000]=5\n", "st.global.u32 [%rd1+16], 6", "(not completed)\n", "b[0] was written once\n"} {
		if !strings.Contains(r.out, want) {
			t.Errorf("lacks %q:\n%s", want, r.out)
		}
	}
	if !strings.Contains(r.errOut, "just past the end of buffer b") {
		t.Error(r.errOut)
	}
}
