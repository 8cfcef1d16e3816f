package roofline

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"hyptx/internal/number"
	"hyptx/internal/roofline/thesis"
)

// redblack are the metrics of tables 4.4, an invocation's, as nvprof's names.
var redblack = []struct {
	name  string
	value float64
}{{"flop_count_sp_fma", 0}, {"flop_count_dp_fma", 33554432}, {"inst_compute_ld_st", 303079424}, {"inst_executed", 56100732}, {"inst_fp_32", 0},
	{"inst_fp_64", 218107904}, {"inst_integer", 736891392}, {"dram_read_transactions", 17660604}, {"dram_write_transactions", 8392704}}

// nvprofCSV is the red/black solver as nvprof writes it, with more lines.
func nvprofCSV(more ...string) string {
	var b strings.Builder
	b.WriteString("==123== NVPROF is profiling process 123\n==123== Metric result:\n")
	b.WriteString(`"Device","Kernel","Invocations","Metric Name","Metric Description","Min","Max","Avg"` + "\n")
	line := func(name, value string) {
		fmt.Fprintf(&b, `"GeForce GTX 480 (0)","void sor<double>(double*, int)",4,"%s","some words",0,0,%s`+"\n", name, value)
	}
	for _, m := range redblack {
		line(m.name, fmt.Sprintf("%.6f", m.value))
	}
	for _, m := range more {
		name, value, _ := strings.Cut(m, "=")
		line(name, value)
	}
	return b.String()
}

// TestNvprof holds the solver's prediction, table 5.9, from nvprof's CSV.
func TestNvprof(t *testing.T) {
	launches, err := ReadMeasured("sor.csv", []byte(nvprofCSV(`dram_utilization="High (9)"`, "issue_slot_utilization=45.3", "l2_read_transactions=90000000",
		"l2_write_transactions=10000000", `gld_throughput=120.3GB/s`)))
	if err != nil {
		t.Fatal(err)
	}
	d := &Device{Name: "GTX-480", Basis: "measured", Rates: thesis.Rates{SPGFLOPS: 1462.20, DPGFLOPS: 184.09, IntGIOPS: 742.34, AddGIOPS: 732.86,
		DRAMGBps: 163.36, LdStGOPS: 369.73}}
	e := &Device{Name: "GTX-660", Basis: "measured", Rates: thesis.Rates{SPGFLOPS: 1940.80, DPGFLOPS: 89.70, IntGIOPS: 359.04, AddGIOPS: 621.36,
		DRAMGBps: 117.56, LdStGOPS: 169.58}}
	o := Options{Model: Thesis, Rule: thesis.Any, Integer: thesis.MAD}
	rows := report(everywhere(launches), []*Device{d, e}, o)
	near(t, "GTX-480", rows[0].TimeUs, 20414, 0.0015/20)
	near(t, "GTX-660", rows[2].TimeUs, 34803, 0.0015/34)
	if r := rows[2]; r.Bound != "Compute" || r.KType != "fp64" || r.WComp.N != 1006649344 || r.WTraf.N != 3334823424 || r.TrafficSource != TrafficMeasured {
		t.Errorf("%+v", r)
	}
	if w := rows[0].Warnings; !strings.HasPrefix(w, "L2 moves 3.8 times the bytes of DRAM") {
		t.Error(w)
	}
	o.Reference = Reference{GPU: "gtx-480", Seconds: 21.456e-3}
	rows = report(everywhere(launches), []*Device{d, e}, o)
	near(t, "GTX-480 as measured", rows[1].TimeUs, 21456, 1e-12)
	near(t, "its memory's term", rows[1].MemUs, 20414, 0.0015/20)
	near(t, "E_util", rows[2].EUtil, 1.05104, 1e-4)
	near(t, "GTX-660 corrected", rows[3].TimeUs, 36579, 0.003/36)
}

// ncuCSV is one launch as Nsight Compute writes it.
const ncuCSV = `==PROF== Connected
"ID","Process ID","Kernel Name","Block Size","Grid Size","Metric Name","Metric Unit","Metric Value"
"0","7","k(float *)","(256, 1, 1)","(100, 2, 1)","smsp__sass_thread_inst_executed_op_ffma_pred_on.sum","inst","1,000,000"
"0","7","k(float *)","(256, 1, 1)","(100, 2, 1)","smsp__sass_thread_inst_executed_op_dfma_pred_on.sum","inst","0"
"0","7","k(float *)","(256, 1, 1)","(100, 2, 1)","smsp__sass_thread_inst_executed_op_memory_pred_on.sum","Minst","2"
"0","7","k(float *)","(256, 1, 1)","(100, 2, 1)","smsp__inst_executed.sum","inst","400,000"
"0","7","k(float *)","(256, 1, 1)","(100, 2, 1)","smsp__sass_thread_inst_executed_op_fp32_pred_on.sum","inst","1,500,000"
"0","7","k(float *)","(256, 1, 1)","(100, 2, 1)","smsp__sass_thread_inst_executed_op_fp64_pred_on.sum","inst","0"
"0","7","k(float *)","(256, 1, 1)","(100, 2, 1)","smsp__sass_thread_inst_executed_op_integer_pred_on.sum","inst","3,000,000"
"0","7","k(float *)","(256, 1, 1)","(100, 2, 1)","dram__bytes_read.sum","Mbyte","3.2"
"0","7","k(float *)","(256, 1, 1)","(100, 2, 1)","dram__sectors_write.sum","sector","50,000"
"0","7","k(float *)","(256, 1, 1)","(100, 2, 1)","gpu__time_duration.sum","usecond","12.5"
"0","7","k(float *)","(256, 1, 1)","(100, 2, 1)","sm__throughput.avg.pct_of_peak_sustained_elapsed","%","45.1"
`

func TestNcu(t *testing.T) {
	launches, err := ReadMeasured("k.csv", []byte(ncuCSV))
	if err != nil {
		t.Fatal(err)
	}
	l := launches[0]
	want := thesis.Metrics{FMA32: 1e6, FP32: 1.5e6, Integer: 3e6, LdSt: 2e6, WarpInstructions: 4e5}
	if l.Metrics != want || l.CTAs != 200 || l.BlockThreads != 256 || l.Traffic.DRAMRead.X != 3.2e6 || l.Traffic.DRAMWrite.X != 1.6e6 {
		t.Errorf("%+v", l)
	}
	near(t, "duration", number.Ratio(l.Evidence.ReferenceSeconds), 12.5e-6, 1e-12)
}

// ncuRawCSV is the same launch, and a second one, as `--page raw` writes them:
// with two names for the instructions, and metrics that are not read.
const ncuRawCSV = `==PROF== Disconnected from process 7
"ID","Process ID","Kernel Name","Context","Block Size","Grid Size","CC","dram__bytes_read.sum","dram__sectors_write.sum","gpu__time_duration.sum","launch__registers_per_thread","sm__inst_executed.sum","smsp__inst_executed.sum","smsp__sass_thread_inst_executed_op_dfma_pred_on.sum","smsp__sass_thread_inst_executed_op_ffma_pred_on.sum","smsp__sass_thread_inst_executed_op_fp32_pred_on.sum","smsp__sass_thread_inst_executed_op_fp64_pred_on.sum","smsp__sass_thread_inst_executed_op_integer_pred_on.sum","smsp__sass_thread_inst_executed_op_memory_pred_on.sum"
"","","","","","","","Mbyte","sector","us","register/thread","inst","inst","inst","inst","inst","inst","inst","Minst"
"0","7","k(float *)","1","(256, 1, 1)","(100, 2, 1)","8.0","3.2","50,000","12.5","32","400,000","400,000","0","1,000,000","1,500,000","0","3,000,000","2"
"1","7","k(float *)","1","(256, 1, 1)","(1, 1, 1)","8.0","0.0032","1","2.5","32","4,000","4,000","0","10,000","15,000","0","30,000","0.02"
`

// TestNcuRaw: both forms of one launch are the same launch.
func TestNcuRaw(t *testing.T) {
	long, err := ReadMeasured("k.csv", []byte(ncuCSV))
	if err != nil {
		t.Fatal(err)
	}
	wide, err := ReadMeasured("k.csv", []byte(ncuRawCSV))
	if err != nil {
		t.Fatal(err)
	}
	if len(wide) != 2 || !reflect.DeepEqual(wide[0], long[0]) {
		t.Errorf("%+v\n%+v", wide[0], long[0])
	}
	if l := wide[1]; l.CTAs != 1 || l.Metrics.WarpInstructions != 4000 || l.Traffic.DRAMRead.X != 3200 || l.Launch != "1" {
		t.Errorf("%+v", l)
	}
}

func TestCountersBad(t *testing.T) {
	swap := func(text, old, new string) string {
		if !strings.Contains(text, old) {
			t.Fatalf("no %q", old)
		}
		return strings.Replace(text, old, new, 1)
	}
	for _, c := range []struct{ text, want string }{
		{"", "no table"},
		{"a,b\n1,2\n", "neither nvprof's"},
		{"ID,Kernel Name,Metric Name,Metric Unit,Metric Value\n", "no kernel stands in it"},
		{nvprofCSV("inst_fp_32=7"), "inst_fp_32 stands there twice"},
		{nvprofCSV("dynamic_magic=7"), `line 13: unknown metric "dynamic_magic"; needed are flop_count_sp_fma`},
		{swap(nvprofCSV(), `"inst_fp_64"`, `"inst_fp_16"`), "void sor<double>(double*, int) on GeForce GTX 480 (0) lacks inst_fp_64"},
		{swap(nvprofCSV(), "56100732.000000", "<OVERFLOW>"), "must be a number without a unit"},
		{swap(nvprofCSV(), "56100732.000000", "56.1GB/s"), "must be a number without a unit"},
		{swap(nvprofCSV(), "56100732.000000", "-1"), "not negative"},
		{swap(nvprofCSV(), "56100732.000000", "NaN"), "not negative"},
		{swap(nvprofCSV(), `int)",4`, `int)",0`), "Invocations"},
		{swap(nvprofCSV(), "33554432", "933554432"), "more multiply-adds than"},
		{swap(nvprofCSV(), "56100732.000000", "39314000"), "more thread instructions than 32 for each warp instruction"},
		{nvprofCSV("dram_utilization=9"), "a level from Idle (0) to Max (10)"},
		{swap(ncuCSV, `"Mbyte"`, `"Mbyte/second"`), `dram__bytes_read.sum: its unit is "Mbyte/second", which does not fit: must be byte`},
		{swap(ncuCSV, `"usecond"`, `"cycle"`), "must be second"},
		{swap(ncuCSV, `"400,000"`, `"n/a"`), "must be a number"},
		{swap(ncuCSV, `"12.5"`, `"12,5"`), "line 12: gpu__time_duration.sum of k(float *) is \"12,5\": must be a number, as 1234.5 or 1,234.5"},
		{swap(ncuCSV, `"k(float *)","(256, 1, 1)","(100, 2, 1)","sm__thr`, `"j","(256, 1, 1)","(100, 2, 1)","sm__thr`), "line 13: launch 0 is of two kernels: j, and in line 3 k(float *)"},
		{swap(ncuCSV, "(100, 2, 1)", "(0, 2, 1)"), "Grid Size"},
		{swap(ncuCSV, "smsp__inst_executed.sum", "smsp_inst_executed.sum"), `unknown metric "smsp_inst_executed.sum"`},
		{swap(ncuCSV, `,"45.1"`, ""), "line 13: has 7 of 8 columns"},
		{swap(ncuCSV, "smsp__inst_executed.sum", "smsp__inst_issued.sum"), "k(float *) lacks sm__inst_executed.sum or smsp__inst_executed.sum"},
		{swap(ncuRawCSV, `"Mbyte"`, `"Mbyte/s"`), `line 3: dram__bytes_read.sum: its unit is "Mbyte/s", which does not fit: must be byte`},
		{swap(ncuRawCSV, `"sector"`, `""`), `dram__sectors_write.sum: its unit is "", which does not fit: must be sector`},
		{swap(ncuRawCSV, `"","","",`, `"0","","",`), "the row below the header is no row of units"},
		{swap(ncuRawCSV, `"1","7"`, `"0","7"`), "dram__bytes_read.sum stands there twice for k(float *)"},
		{swap(ncuRawCSV, `"50,000"`, `"n/a"`), `line 4: dram__sectors_write.sum of k(float *) is "n/a": must be a number`},
		{swap(ncuRawCSV, "gpu__time_duration.sum", "gpu_time_duration.sum"), `unknown metric "gpu_time_duration.sum"`},
		{swap(ncuRawCSV, "op_fp64_pred_on", "op_fp46_pred_on"), "k(float *) lacks smsp__sass_thread_inst_executed_op_fp64_pred_on.sum"},
		{swap(ncuRawCSV, `,"0.02"`, ""), "line 5: has 18 of 19 columns"},
		{swap(ncuRawCSV, `"12.5"`, `"-12.5"`), "line 4: gpu__time_duration.sum of k(float *) is -12.5: counts are finite and not negative"},
		{"ID,Kernel Name,CC\n,,\n0,k,8.0\n", "none of its columns is a metric that is read; needed are dram__bytes_read.sum"},
	} {
		if _, err := ReadMeasured("x.csv", []byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "x.csv: ") {
			t.Errorf("%q: %v", c.want, err)
		}
	}
}
