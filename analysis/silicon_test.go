package analysis

import (
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"

	"hyptx/internal/ssa"
)

// siliconSet is a table of counters of real GPUs and what of ours stands beside
// each.
type siliconSet struct {
	file string
	// keep says which rows are comparable.
	keep func(row map[string]string) bool
	// columns are theirs, and the row's figure of the PTX and of the estimate.
	columns []siliconColumn
}

type siliconColumn struct {
	theirs   string
	ptx, est func(lp *LaunchProfile) float64
	// within bounds the mean error of the estimate, in percent.
	within float64
}

func counted(c Counter) func(*LaunchProfile) float64 {
	return func(lp *LaunchProfile) float64 { return lp.Facts.X(c) }
}

func together(a, b Counter) func(*LaunchProfile) float64 {
	return func(lp *LaunchProfile) float64 { return lp.Facts.X(a) + lp.Facts.X(b) }
}

// registersOfPTX are those that the PTX keeps alive as it is written.
func registersOfPTX(lp *LaunchProfile) float64 { return float64(ssa.RegistersPerThread(lp.Kernel)) }

// efficiency is the share of the branches that do not diverge.
func efficiency(all, divergent Counter) func(*LaunchProfile) float64 {
	return func(lp *LaunchProfile) float64 {
		if lp.Facts.X(all) == 0 {
			return 1
		}
		return 1 - lp.Facts.X(divergent)/lp.Facts.X(all)
	}
}

var siliconSets = []siliconSet{
	{"nv-dvfs-gtx1080ti.csv", func(row map[string]string) bool { return row["sm_mhz"] == "1800" }, []siliconColumn{
		{"inst_executed", counted(WarpInstructions), counted(EstWarpInstructions), 5.0},
		{"inst_integer", counted(InstInteger), counted(EstInstInteger), 9.2},
		{"inst_fp_32", together(InstFP32, InstSpecialFP32), together(EstInstFP32, EstInstSpecial), 9.0},
		{"inst_fp_64", counted(InstFP64), counted(EstInstFP64), 0.1},
		{"branch_efficiency", efficiency(Branches, DivergentBranches), efficiency(EstBranches, EstDivergentBranches), 0.1},
		{"flop_count_sp", func(lp *LaunchProfile) float64 { return float64(lp.row().FlopSP.N) }, counted(EstFlopSP), 3.7},
		{"flop_count_dp", func(lp *LaunchProfile) float64 { return float64(lp.row().FlopDP.N) }, counted(EstFlopDP), 0.1},
	}},
	{"ktt-coulomb-rtx2080ti.csv", func(row map[string]string) bool { return row["array_of_nvcc_and_this_ptx"] == "registers" }, []siliconColumn{
		{"smsp__inst_executed.sum", counted(WarpInstructions), counted(EstWarpInstructions), 4.6},
		{"smsp__sass_thread_inst_executed_op_integer_pred_on.sum", counted(InstInteger), counted(EstInstInteger), 19.6},
		{"smsp__sass_thread_inst_executed_op_fp32_pred_on.sum", together(InstFP32, InstSpecialFP32), together(EstInstFP32, EstInstSpecial), 0.4}, // MUFU among them
		{"smsp__sass_thread_inst_executed_op_control_pred_on.sum", counted(InstControl), counted(EstInstControl), 24.9},
		{"smsp__sass_thread_inst_executed_op_memory_pred_on.sum", counted(InstLdSt), counted(EstInstLdSt), 0.1},
		{"smsp__sass_thread_inst_executed_op_misc_pred_on.sum", counted(InstMisc), counted(EstInstMisc), 13.5},
		{"smsp__sass_thread_inst_executed_op_conversion_pred_on.sum", counted(InstBitConvert), counted(EstInstBitConvert), 0.1},
		{"registers_per_thread", registersOfPTX, counted(RegistersPerThread), 17.4},
	}},
	{"a100-sgemm.csv", nil, []siliconColumn{
		{"smsp__inst_executed.sum", counted(WarpInstructions), counted(EstWarpInstructions), 12.3},
		{"registers_per_thread", registersOfPTX, counted(RegistersPerThread), 7.6},
	}},
	{"hotspot-tuned-a4000.csv", nil, []siliconColumn{
		{"registers_per_thread", registersOfPTX, counted(RegistersPerThread), 19.7},
	}},
}

// TestSilicon holds estimates of machine code against what GPUs counted. -v
// prints the rows. Where estimates are wrong is known by it; nothing is fitted.
func TestSilicon(t *testing.T) {
	root := filepath.Join("..", "..", "shared", "silicon", "kernels")
	if _, err := os.Stat(root); err != nil || testing.Short() {
		t.Skip("../shared/silicon is absent, or -short")
	}
	for _, set := range siliconSets {
		t.Run(strings.TrimSuffix(set.file, ".csv"), func(t *testing.T) { set.compare(t, root) })
	}
}

func (set *siliconSet) compare(t *testing.T, root string) {
	profiles := map[string]*Profile{}
	errors := make([][2]float64, len(set.columns))
	n := make([]int, len(set.columns))
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 1, ' ', 0)
	for _, row := range readSilicon(t, filepath.Join(root, "measured", set.file)) {
		if row["manifest"] == "" || set.keep != nil && !set.keep(row) {
			continue
		}
		lp := siliconLaunch(t, profiles, filepath.Join(root, row["manifest"]), row["launch"])
		fmt.Fprintf(w, "%s\t%s", row["program"], row["launch"])
		for i, c := range set.columns {
			theirs, err := strconv.ParseFloat(row[c.theirs], 64)
			if err != nil || theirs == 0 {
				fmt.Fprint(w, "\t\t\t")
				continue
			}
			ptx, est := c.ptx(lp)/theirs, c.est(lp)/theirs
			fmt.Fprintf(w, "\t%.4g\t%.3f\t%.3f", theirs, ptx, est)
			errors[i][0] += math.Abs(ptx - 1)
			errors[i][1] += math.Abs(est - 1)
			n[i]++
		}
		fmt.Fprintln(w)
	}
	w.Flush()
	t.Log("program, launch; by column theirs, PTX/theirs, estimate/theirs\n" + text.String())
	for i, c := range set.columns {
		ptx, est := 100*errors[i][0]/float64(n[i]), 100*errors[i][1]/float64(n[i])
		t.Logf("%-62s %3d rows: PTX %6.1f %%, estimate %6.1f %%", c.theirs, n[i], ptx, est)
		if est > c.within {
			t.Errorf("%s: the estimate is %.1f %% off in the mean, at most %g is expected", c.theirs, est, c.within)
		}
	}
}

// siliconLaunch returns a launch by its number or label, of a program that is run
// once.
func siliconLaunch(t *testing.T, profiles map[string]*Profile, path, launch string) *LaunchProfile {
	t.Helper()
	if profiles[path] == nil {
		p, err := openTest(t, path, nil).Profile(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		profiles[path] = p
	}
	list := profiles[path].Launches
	i := slices.IndexFunc(list, func(lp *LaunchProfile) bool { return lp.Label == launch || strconv.Itoa(lp.Number) == launch })
	if i < 0 {
		t.Fatalf("%s has no launch %s", path, launch)
	}
	return list[i]
}

// readSilicon returns the rows of a table by column.
func readSilicon(t *testing.T, path string) (rows []map[string]string) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	all, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range all[1:] {
		row := map[string]string{}
		for i, name := range all[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}
