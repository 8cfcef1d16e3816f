package judge

import (
	"slices"
	"testing"
)

// TestDrop: the forms in which Nsight Compute says that it lacks metrics.
func TestDrop(t *testing.T) {
	all := []string{"smsp__inst_executed.sum", "smsp__thread_inst_executed.sum", "dram__bytes_read.sum", "dram__bytes_write.sum"}
	for said, left := range map[string][]string{
		"==ERROR== Failed to find metric dram__bytes_read.sum\n":                                                             {all[0], all[1], all[3]},
		"==PROF== Connected\n==ERROR== Failed to find metric regex:^smsp__inst_executed\\.(sum|min|max)$\n":                  {all[1], all[2], all[3]},
		"==ERROR== Failed to access the following 2 metrics: dram__bytes_read.sum, dram__bytes_write.sum\n":                  {all[0], all[1]},
		"==ERROR== Failed to access the following 2 metrics:\n dram__bytes_read.sum\n dram__bytes_write.sum\n==PROF== end\n": {all[0], all[1]},
		"==WARNING== dram__bytes_read.sum\n\"0\",\"dram__bytes_read.sum\",\"1\"\n":                                           all,
		"==ERROR== The application returned an error code (9).\n":                                                            all,
	} {
		c := &counterTable{metrics: slices.Clone(all)}
		if dropped := c.drop(said); !slices.Equal(c.metrics, left) || dropped != (len(left) < len(all)) {
			t.Errorf("%q leaves %v, %t; want %v", said, c.metrics, dropped, left)
		}
	}
}

// TestRefusals: of several lines the one that tells.
func TestRefusals(t *testing.T) {
	for said, want := range map[string]string{
		"==ERROR== An error was reported by the counter measurement library:\n==ERROR== Failed to initialize the profiler: LibraryNotLoaded. Check it.\n": "==ERROR== Failed to initialize the profiler: LibraryNotLoaded. Check it.\n",
		"==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n==ERROR== Failed\n":                                                              "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission",
		"==PROF== Connected to process 1\n": "",
	} {
		if got := refusals.FindString(said); got != want && got+"\n" != want {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
}
