package thesis

import (
	"encoding/csv"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// row is a row of a table of facts: its columns by name.
type row map[string]string

func (r row) num(t *testing.T, column string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(r[column], 64)
	if err != nil {
		t.Fatalf("column %s: %v", column, err)
	}
	return x
}

// facts reads a table of what is printed (Data), or of testdata: tabs, lines of "#"
// first, then a header.
func facts(t *testing.T, name string) []row {
	t.Helper()
	var f fs.File
	f, err := Data.Open("data/" + name)
	if err != nil {
		f, err = os.Open(filepath.Join("testdata", name))
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma, r.Comment, r.LazyQuotes, r.FieldsPerRecord = '\t', '#', true, -1
	records, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []row
	for _, rec := range records[1:] {
		m := row{}
		for i, x := range rec {
			m[records[0][i]] = x
		}
		rows = append(rows, m)
	}
	return rows
}

// rates are tables 5.2 and 6.2.
func rates(t *testing.T) map[string]Rates {
	out := map[string]Rates{}
	for _, r := range facts(t, "rates.tsv") {
		out[r["gpu"]] = Rates{SPGFLOPS: r.num(t, "T_SP_GFLOPS"), DPGFLOPS: r.num(t, "T_DP_GFLOPS"), IntGIOPS: r.num(t, "T_int_GIOPS"),
			AddGIOPS: r.num(t, "T_add_GIOPS"), DRAMGBps: r.num(t, "B_mem_GBps"), LdStGOPS: r.num(t, "T_ldst_GOPS")}
	}
	return out
}

// metrics are tables 4.4, 4.9 and 5.10, all invocations.
func metrics(t *testing.T) map[string]Metrics {
	out := map[string]Metrics{}
	for _, r := range facts(t, "metrics.tsv") {
		n := r.num(t, "invocations")
		get := func(c string) float64 { return n * r.num(t, c) }
		out[r["kernel"]] = Metrics{FMA32: get("M_fma32"), FMA64: get("M_fma64"), LdSt: get("M_ldst"), WarpInstructions: get("M_inst"),
			FP32: get("M_fp32"), FP64: get("M_fp64"), Integer: get("M_int"), DRAMReads: get("M_tran_r"), DRAMWrite: get("M_tran_w")}
	}
	return out
}

// kernels are the tables of kernel parameters: Rodinia's, and SGEMM with tiles
// of 16; and what the metrics give.
func kernels(t *testing.T) map[string]Kernel {
	out := map[string]Kernel{}
	for _, name := range []string{"rodinia.tsv", "kernels.tsv"} {
		for _, r := range facts(t, name) {
			out[r["kernel"]] = Kernel{Type: Type(r["K_type"]), Ops: r.num(t, "W_comp_ops"), TrafficBytes: r.num(t, "W_traf_bytes"),
				MixEfficiency: r.num(t, "E_mix_pct") / 100, OpsDensity: r.num(t, "D_ops_pct") / 100,
				LdStDensity: r.num(t, "D_ldst_pct") / 100, OtherDensity: r.num(t, "D_other_pct") / 100}
		}
	}
	for name, m := range metrics(t) {
		k, err := m.Kernel(Any)
		if err != nil {
			t.Fatal(err)
		}
		out[name] = k
	}
	return out
}

func predict(t *testing.T, k Kernel, r Rates, mode IntegerMode) Prediction {
	t.Helper()
	p, err := Predict(k, r, mode)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
