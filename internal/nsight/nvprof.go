package nsight

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// nvprofFamilies begin the names of nvprof's metrics (nvprof --query-metrics).
var nvprofFamilies = []string{"achieved_", "atomic_", "branch_", "cf_", "dram_", "double_", "ecc_", "eligible_", "flop_", "gld_", "global_", "gst_",
	"half_", "inst_", "ipc", "issue", "issued_", "l1_", "l2_", "ldst_", "local_", "nc_", "nvlink_", "not_", "pcie_", "shared_", "single_", "sm_", "special_", "stall_",
	"surface_", "sysmem_", "tensor_", "tex_", "texture_", "unified_", "warp_", "alu_"}

// nvprof reads nvprof's form, a metric of a kernel a line: the total is Avg
// times Invocations.
func (t *table) nvprof() (func(rec []string) error, error) {
	return func(rec []string) error {
		name, cell := strings.TrimSpace(rec[t.column["Metric Name"]]), strings.TrimSpace(rec[t.column["Avg"]])
		l, err := t.kernel(rec)
		if err != nil {
			return err
		}
		if u, ok := strings.CutSuffix(name, "_utilization"); ok && u != "issue_slot" { // which is a percentage
			level, err := utilization(cell)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			l.Levels[strings.Clone(u)] = level
			return nil
		}
		if _, ok := t.wanted.Units[name]; !ok {
			if slices.ContainsFunc(nvprofFamilies, func(f string) bool { return strings.HasPrefix(name, f) }) {
				return nil
			}
			return fmt.Errorf("unknown metric %q; %s", name, t.wanted.Hint)
		}
		value, err := strconv.ParseFloat(cell, 64)
		if err != nil {
			return fmt.Errorf("%s of %s is %q: must be a number without a unit (counters overflow in long runs; profile fewer invocations)", name, l.Kernel, cell)
		}
		return l.add(name, value, l.Invocations)
	}, nil
}

// kernel returns the kernel, on one GPU, that a row of nvprof is of.
func (t *table) kernel(rec []string) (*Launch, error) {
	cell := rec[t.column["Invocations"]]
	invocations, err := strconv.ParseUint(strings.TrimSpace(cell), 10, 32)
	if err != nil || invocations == 0 {
		return nil, fmt.Errorf("Invocations is %q: must be a whole number from 1", cell)
	}
	kernel, device := rec[t.column["Kernel"]], ""
	if i, ok := t.column["Device"]; ok {
		device = rec[i]
	}
	l, err := t.of(device+"\x00"+kernel, "", kernel)
	if err != nil {
		return nil, err
	}
	l.Invocations, l.Device = float64(invocations), strings.Clone(strings.TrimSpace(device))
	return l, nil
}

// utilization reads "High (8)".
func utilization(cell string) (int, error) {
	_, in, ok := strings.Cut(cell, "(")
	n, err := strconv.Atoi(strings.TrimSuffix(in, ")"))
	if !ok || err != nil || n < 0 || n > 10 {
		return 0, fmt.Errorf("%q: must be a level from Idle (0) to Max (10)", cell)
	}
	return n, nil
}
