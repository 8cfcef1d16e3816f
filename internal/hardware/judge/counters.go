package judge

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"hyptx/internal/csvfile"
	"hyptx/internal/hardware/sass"
)

// Nsight Compute counts the launches of whole networks, run by hyptx itself as
// its child. Not every GPU has every metric, and one unknown name makes it
// refuse them all: so names that an error mentions are taken off the list and it
// runs again, until it counts or gives another reason.

// Metrics are what Nsight Compute is asked for, by its names from Volta on
// (Nsight Compute documentation, metrics comparison with nvprof): instructions,
// branches, floating-point operations, sectors, DRAM, time.
var Metrics = []string{
	"smsp__inst_executed.sum", "smsp__thread_inst_executed.sum", "smsp__thread_inst_executed_pred_on.sum",
	"smsp__sass_branch_targets.sum", "smsp__sass_branch_targets_threads_divergent.sum", "smsp__sass_average_branch_targets_threads_uniform.pct",
	"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
	"smsp__sass_thread_inst_executed_op_dadd_pred_on.sum", "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum", "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum",
	"smsp__sass_thread_inst_executed_op_hadd_pred_on.sum", "smsp__sass_thread_inst_executed_op_hmul_pred_on.sum", "smsp__sass_thread_inst_executed_op_hfma_pred_on.sum",
	"smsp__sass_thread_inst_executed_op_fp32_pred_on.sum", "smsp__sass_thread_inst_executed_op_fp64_pred_on.sum", "smsp__sass_thread_inst_executed_op_fp16_pred_on.sum",
	"smsp__sass_thread_inst_executed_op_integer_pred_on.sum", "smsp__sass_thread_inst_executed_op_memory_pred_on.sum",
	"smsp__sass_thread_inst_executed_op_control_pred_on.sum", "smsp__sass_thread_inst_executed_op_conversion_pred_on.sum",
	"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
	"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
	"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
	"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
	"lts__t_sectors_op_read.sum", "lts__t_sectors_op_write.sum",
	"dram__bytes_read.sum", "dram__bytes_write.sum", "gpu__time_duration.sum",
}

// profilers are where Nsight Compute may be beside PATH and CUDA's folder.
const profilers = "/opt/nvidia/nsight-compute/*/ncu"

// refusals are what Nsight Compute says when it cannot count at all. A line that
// ends in a colon only announces the reason.
var refusals = regexp.MustCompile(`(?m)ERR_NVGPUCTRPERM.*|^==ERROR==.*[^:\s]\s*$`)

// counters has Nsight Compute count the networks' launches.
func (j *judge) counters(ctx context.Context) (note string, err error) {
	j.stopWorker() // the GPU is the child's
	ncu, err := findProfiler()
	if err != nil {
		return "", errNothing{err}
	}
	if len(j.Networks) == 0 {
		return "", errNothing{errors.New("no network was named (option networks)")}
	}
	all := &counterTable{metrics: slices.Clone(Metrics)}
	done := 0
	for _, path := range j.Networks {
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		text, err := j.profile(ctx, ncu, path, all)
		if ctx.Err() != nil {
			return fmt.Sprintf("%d of %d networks", done, len(j.Networks)), context.Cause(ctx)
		}
		if err == nil {
			err = all.add(name, text)
		}
		if err != nil && done == 0 {
			return "", errNothing{fmt.Errorf("%s: %w", name, err)}
		}
		if err != nil {
			return fmt.Sprintf("%d of %d networks", done, len(j.Networks)), fmt.Errorf("%s: %w", name, err)
		}
		done++
		if err := j.put("counters", "counters.csv", all.bytes()); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%d networks, %d rows, %d metrics unknown here", done, len(all.records), len(Metrics)-len(all.metrics)), nil
}

func findProfiler() (string, error) {
	path, err := sass.Locate("ncu")
	if err == nil {
		return path, nil
	}
	found, _ := filepath.Glob(profilers)
	if len(found) == 0 {
		return "", fmt.Errorf("%w, nor is there %s", err, profilers)
	}
	return found[len(found)-1], nil
}

// profile runs one network under Nsight Compute and returns its CSV. Metrics
// that it does not know are taken off the table's list.
func (j *judge) profile(ctx context.Context, ncu, path string, t *counterTable) ([]byte, error) {
	log := filepath.Join(j.temp, "ncu.csv")
	for {
		args := append([]string{"--csv", "--print-units", "base", "--print-kernel-base", "mangled", "--clock-control", "none", "--target-processes", "all",
			"--log-file", log, "--metrics", strings.Join(t.metrics, ",")}, j.Self...)
		args = append(args, "run", path, "--on", "cuda", "--device", strconv.Itoa(j.Device), "-o", filepath.Join(j.temp, "run.json"))
		os.Remove(log)
		c := exec.CommandContext(ctx, ncu, args...)
		c.Env = append(os.Environ(), "LC_ALL=C")
		c.WaitDelay = spare
		said := &tail{}
		c.Stdout, c.Stderr = said, said
		err := c.Run()
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		text, _ := os.ReadFile(log)
		both := string(text) + string(said.text)
		if t.drop(both) {
			continue
		}
		if refusal := refusals.FindString(both); refusal != "" {
			return nil, errors.New(strings.TrimSpace(refusal))
		}
		if err != nil {
			return nil, fmt.Errorf("ncu: %w: %s", err, said.last())
		}
		return text, nil
	}
}

// counterTable gathers the counters of all networks.
type counterTable struct {
	metrics []string
	records [][]string
}

// drop takes the metrics off the list that an error names, on its line or on those
// that follow it, and reports whether there were any: a GPU may lack some.
func (t *counterTable) drop(said string) bool {
	before, inError := len(t.metrics), false
	for line := range strings.Lines(said) {
		if strings.HasPrefix(line, "==") || strings.HasPrefix(line, `"`) { // another message, or the table
			inError = strings.HasPrefix(line, "==ERROR==")
		}
		if inError {
			line = strings.ReplaceAll(line, `\`, "") // smsp__x.sum, or regex:^smsp__x\.(sum|max)$
			t.metrics = slices.DeleteFunc(t.metrics, func(name string) bool {
				base, _, _ := strings.Cut(name, ".")
				return strings.Contains(line, base+".")
			})
		}
	}
	return len(t.metrics) < before && len(t.metrics) > 0
}

// counterColumns are kept of Nsight Compute's.
var counterColumns = []string{"ID", "Kernel Name", "Block Size", "Grid Size", "Metric Name", "Metric Unit", "Metric Value"}

// add adds a network's table. The ID becomes network/ID, so that the launches
// of all networks stand in one file that `hyptx roofline --counters` reads.
func (t *counterTable) add(network string, text []byte) error {
	var table []byte
	for line := range bytes.Lines(text) {
		if bytes.HasPrefix(line, []byte(`"`)) {
			table = append(table, line...)
		}
	}
	if bytes.Count(table, []byte("\n")) < 2 {
		return errors.New("ncu printed no counters")
	}
	cells, err := csvfile.Format{Lenient: true}.Open("ncu's CSV", table, counterColumns...)
	if err != nil {
		return err
	}
	for row, err := range cells.Rows() {
		if err != nil {
			return cells.At(row.Line, err)
		}
		var kept []string
		for _, column := range counterColumns {
			kept = append(kept, row.Cells[cells.Column[column]])
		}
		if value := kept[len(kept)-1]; value == "" || strings.HasPrefix(strings.ToLower(value), "n/a") {
			continue // not counted on this GPU
		}
		kept[0] = network + "/" + kept[0]
		t.records = append(t.records, kept)
	}
	return nil
}

func (t *counterTable) bytes() []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.WriteAll(append([][]string{counterColumns}, t.records...)) // a bytes.Buffer takes all
	return b.Bytes()
}
