package power

import (
	"reflect"
	"strings"
	"testing"
)

// nsightRaw is two launches as `ncu --csv --page raw` prints them, with two
// columns that NVBit's counts were added in.
const nsightRaw = `==PROF== Disconnected from process 7
"ID","Process ID","Kernel Name","Block Size","Grid Size","CC","dram__sectors_read.sum","lts__t_sectors_srcunit_tex_op_read.sum","lts__t_sectors_srcunit_tex_op_write.sum","sm__cycles_elapsed.avg.per_second","sm__cycles_elapsed.sum","smsp__cycles_active.avg.pct_of_peak_sustained_elapsed","sm__throughput.avg.pct_of_peak_sustained_elapsed","TOT_INST","lanes"
"","","","","","","Ksector","sector","sector","Ghz","cycle","%","%","",""
"0","7","k","(256, 1, 1)","(80, 1, 1)","7.0","12.5","1,000","500","1.447","8,000,000","75","10","64,000","32"
"1","7","j","(256, 1, 1)","(80, 1, 1)","7.0","0.1","0","0","1.447","800,000","100","10","6,400","16"
`

// nsightLong is the first launch, a metric a line.
const nsightLong = `ID,Kernel Name,Metric Name,Metric Unit,Metric Value
0,k,dram__sectors_read.sum,sector,"12,500"
0,k,lts__t_sectors_srcunit_tex_op_read.sum,sector,1000
0,k,lts__t_sectors_srcunit_tex_op_write.sum,sector,500
0,k,sm__cycles_elapsed.avg.per_second,cycle/nsecond,1.447
0,k,sm__cycles_elapsed.sum,Mcycle,8
0,k,smsp__cycles_active.avg.pct_of_peak_sustained_elapsed,%,75
0,k,TOT_INST,,64000
0,k,lanes,,32
`

// nsightTable is the same as a table by our columns.
const nsightTable = `run,MEM_RD,NOC,clock_mhz,cycles,idle_sms,TOT_INST,lanes
k,12500,3000,1447,100000,20,64000,32
j,100,0,1447,10000,0,6400,16
`

// TestReadBytes: bytes of DRAM stand for its sectors where these were not
// collected.
func TestReadBytes(t *testing.T) {
	for text, want := range map[string]float64{
		"kernel,dram__bytes_read.sum\n,Kbyte\nk,3.2\n":                                                            100,
		"kernel,dram__sectors_read.sum,dram__bytes_read.sum\nk,101,3200\n":                                        101,
		"ID,Kernel Name,Metric Name,Metric Unit,Metric Value\n0,k,dram__bytes_read.sum,Mbyte,0.32\n":              10000,
		"ID,Kernel Name,Metric Name,Metric Unit,Metric Value\n0,k,dram__bytes_write.sum,byte,32\n0,k,lanes,,32\n": 0,
	} {
		rows, err := ReadActivities("x.csv", []byte(text), 80)
		if err != nil {
			t.Fatal(err)
		}
		if a := rows[0].Activity; a.Counts[DRAMRead] != want || a.Missing.Has(DRAMRead) != (want == 0) || (want == 0 && a.Counts[DRAMWrite] != 1) {
			t.Errorf("%q: %g bursts read, %g written", text, a.Counts[DRAMRead], a.Counts[DRAMWrite])
		}
	}
}

func TestReadNsight(t *testing.T) {
	read := func(text string) []*ActivityRow {
		t.Helper()
		rows, err := ReadActivities("x.csv", []byte(text), 80)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			for _, c := range []string{"cycles", "clock_mhz", "lanes", "idle_sms"} {
				if !r.Given[c] {
					t.Errorf("%s is not given", c)
				}
			}
			r.Given, r.Kernel = nil, ""
		}
		return rows
	}
	want := read(nsightTable)
	if got := read(nsightRaw); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got[0], want[0])
	}
	if got := read(nsightLong); !reflect.DeepEqual(got, want[:1]) {
		t.Errorf("%+v, want %+v", got[0], want[0])
	}
	if a := want[0].Activity; a.Missing.Has(TotInst) || a.Missing.Has(Flit) || a.Missing.Has(Duty) || !a.Missing.Has(Int) {
		t.Errorf("%b", a.Missing)
	}
	launch := read(strings.NewReplacer(`"CC"`, `"launch"`, `"7.0"`, `"3"`).Replace(nsightRaw))
	if launch[0].Launch != "3" {
		t.Errorf("launch %q", launch[0].Launch)
	}
	// A table of one's own may have Nsight Compute's units in its second line.
	units := read("run,dram__sectors_read.sum,cycles,clock_mhz,lanes,idle_sms\n,Ksector,,,,\nk,12.5,1,1,1,1\n")
	if x := units[0].Activity.Counts[DRAMRead]; x != 12500 {
		t.Errorf("%g sectors", x)
	}
}

func TestReadNsightBad(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"Ksector", "Kbyte", `x.csv: line 3: dram__sectors_read.sum: its unit is "Kbyte", which does not fit: must be sector`},
		{`"12.5"`, `"12,5"`, `x.csv: line 4: dram__sectors_read.sum of k is "12,5": must be a number`},
		{`"sm__throughput`, `"sm_throughput`, `x.csv: unknown metric "sm_throughput.avg.pct_of_peak_sustained_elapsed"; read are dram__bytes_read.sum, `},
		{"srcunit_tex_op_write.sum", "srcunit_ltc_op_write.sum", "x.csv: line 4: k: NOC lacks lts__t_sectors_srcunit_tex_op_write.sum: it is the sum of that and lts__t_sectors_srcunit_tex_op_read.sum"},
		{"TOT_INST", "NOC", "x.csv: line 4: k: NOC stands twice: as such and as lts__t_sectors_srcunit_tex_op_write.sum"},
		{"TOT_INST", "clock_mhz", "x.csv: line 4: k: both clock_mhz and sm__cycles_elapsed.avg.per_second are given: one is enough"},
		{`"TOT_INST","lanes"`, `"L1_RH","DC_RH"`, `x.csv: line 4: column "DC_RH" stands twice`},
	} {
		text := strings.Replace(nsightRaw, c.old, c.new, 1)
		if _, err := ReadActivities("x.csv", []byte(text), 80); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: %v", c.want, err)
		}
	}
}

func TestMayBe(t *testing.T) {
	for _, c := range []struct {
		kernel, given string
		want          bool
	}{
		{"k", "k", true}, {"k", "k(float *, int)", true}, {"_Z3sorIdEvPd", "void sor<double>(double *)", true}, {"_ZN1a1b4gemmEPf", "a::b::gemm(float *)", true},
		{"_Z3sorIdEvPd", "sor", true}, {"_Z3sorIdEvPd", "_Z3sorIdEvPd", true}, {"k", "", true}, {"k", "(anonymous namespace)::j(int)", true},
		{"k", "j", false}, {"_Z3sorIdEvPd", "void gemm<double>(double *)", false}, {"_Z3sorIdEvPd", "_Z3sorIfEvPf", false},
	} {
		if got := mayBe(c.kernel, c.given); got != c.want {
			t.Errorf("%s, %s: %t", c.kernel, c.given, got)
		}
	}
}
