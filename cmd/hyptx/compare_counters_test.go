package main

import (
	"strings"
	"testing"
)

// TestCompareCounters: a profiler's counts stand beside ours, launch by launch and
// metric by metric, and what PTX cannot know is marked.
func TestCompareCounters(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("COLUMNS", "200")
	net := madeUp + "/manifests/two.json"
	line := func(id, kernel, metric, unit, value string) string {
		return `"` + strings.Join([]string{id, kernel, metric, unit, value}, `","`) + "\"\n"
	}
	const head = `"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"` + "\n"
	const loads, duration, dram = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "gpu__time_duration.sum", "dram__bytes_read.sum"
	const kernel = "vector_add(float *, const float *, const float *, int)"
	put(t, "ncu.csv", head+line("0", kernel, loads, "request", "3")+line("0", kernel, duration, "usecond", "5")+
		line("1", kernel, loads, "request", "512")+line("1", kernel, dram, "Kbyte", "65.536")+line("1", kernel, "launch__registers_per_thread", "register/thread", "12"))
	r := hyptx("compare", net, "--counters", "ncu.csv", "--gpu", "gv100", "--csv", "-").must(t, exitDone)
	match(t, "what is not compared", r.errOut, `ncu.csv: not compared, since hyptx has nothing like it: launch__registers_per_thread`)
	rows := readCSV(t, r.out)
	if len(rows) != 4 {
		t.Fatalf("%s", r.out)
	}
	for i, want := range []struct{ launch, ours, percent, basis string }{
		{"0", "6.0000", "100.0000", "PTX"}, {"0", "", "", "PTX cannot know it: how long a launch takes: hyptx roofline predicts it"},
		{"1", "512.0000", "0.0000", "PTX"}, {"1", "64960.0000", "-0.8789", "cache model"}, // without 2 x 9 sectors that launch 0 has read
	} {
		if row := rows[i]; row["launch"] != want.launch || row["hyptx"] != want.ours || row["difference_pct"] != want.percent || row["basis"] != want.basis {
			t.Errorf("%v, want %v", row, want)
		}
	}
	match(t, "the table", hyptx("compare", net, "--counters", "ncu.csv").must(t, exitDone).out,
		`two: ncu.csv beside hyptx\nlaunch 0, vector_add\n  metric +measured +hyptx +off % +basis\n.*  3  +6 +100.0 +PTX\n.* 5e-06 +- (?s:.*)launch 1, (?s:.*)cache model: of a GPU, which nobody named\n`)
	put(t, "nvprof.csv", "\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\",\"Metric Description\",\"Min\",\"Max\",\"Avg\"\n"+
		"\"T\",\"vector_add(float*, float const *, float const *, int)\",2,\"flop_count_sp_add\",\"x\",70,8192,4131\n")
	rows = readCSV(t, hyptx("compare", net, "--counters", "nvprof.csv", "--csv", "-").must(t, exitDone).out)
	if len(rows) != 1 || rows[0]["hyptx"] != "4131.0000" || rows[0]["difference_pct"] != "0.0000" {
		t.Errorf("%v", rows)
	}
	put(t, "other.csv", head+line("0", "gemm(float)", loads, "request", "3"))
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"--counters other.csv", exitInput, "other.csv: line 2: no launch that is left is of kernel gemm"},
		{"--counters ncu.csv --against x.json", exitUsage, "--counters compares what a profiler counted"},
		{"--gpu gv100", exitUsage, "--gpu and --csv are for --counters"},
	} {
		match(t, c.args, hyptx(append([]string{"compare", net}, strings.Fields(c.args)...)...).must(t, c.code).errOut, c.want)
	}
}

// TestCompareCountersSizes: a profiler's launch stands beside the next one of its kernel that
// has its grid and block, and beside none of another size.
func TestCompareCountersSizes(t *testing.T) {
	t.Chdir(t.TempDir())
	net := madeUp + "/manifests/two.json" // 3 CTAs of 32 threads, then 256
	put(t, "raw.csv", `"ID","Kernel Name","Block Size","Grid Size","smsp__inst_executed.sum"
"","","","","inst"
"0","vector_add","(32, 1, 1)","(256, 1, 1)","5"
`)
	rows := readCSV(t, hyptx("compare", net, "--counters", "raw.csv", "--csv", "-").must(t, exitDone).out)
	if len(rows) != 1 || rows[0]["launch"] != "1" {
		t.Errorf("%v", rows)
	}
	for _, c := range []struct{ block, grid, want string }{
		{"(32, 1, 1)", "(9, 1, 1)", `c.csv: line 2: no launch of kernel vector_add that is left has 9 CTAs of 32 threads; launch 0 has 3 CTAs of 32 threads`},
		{"(64, 1, 1)", "", `c.csv: line 2: no launch of kernel vector_add that is left has CTAs of 64 threads; launch 0 `},
		{"", "(4, 64, 2)", `c.csv: line 2: no launch of kernel vector_add that is left has 512 CTAs; launch 0 `},
	} {
		put(t, "c.csv", `"ID","Kernel Name","Block Size","Grid Size","Metric Name","Metric Unit","Metric Value"
"0","vector_add","`+c.block+`","`+c.grid+`","smsp__inst_executed.sum","inst","5"
`)
		match(t, c.grid, hyptx("compare", net, "--counters", "c.csv").must(t, exitInput).errOut, c.want)
	}
}
