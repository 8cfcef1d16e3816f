package gpu

import (
	"regexp"
	"strings"
	"testing"
)

// TestBeyondEveryGPU: a number that no GPU has is an error of the file's field.
func TestBeyondEveryGPU(t *testing.T) {
	file := strings.Replace(text(t, "gv100"), `"dram": {`, `"dram": {"row_bytes": {"value": 1024, "source": "user"},`, 1)
	for key, want := range map[string]string{
		`"sms": {"value": 80`:            `sms.value: 1000000000 is beyond every GPU (4096)`,
		`"channels": {"value": 32`:       `dram.channels.value: 1000000000 is beyond every GPU (4096)`,
		`"row_bytes": {"value": 1024`:    `dram.row_bytes.value: must be at least a sector of 32, not 1`,
		`"warps_per_clock": {"value": 4`: `issue.warps_per_clock.value: 1000000000 is more than two for each of issue.schedulers, 4`,
		`"sector_bytes": {"value": 32`:   `sector_bytes.value: must be 32, 64 or 128, not 1`,
		`"configurations_bytes": {"value": [0, 8192, 16384, 32768, 65536, 98304`: `shared.configurations_bytes.value: 1000000000 is more than l1.bytes, 131072`,
	} {
		number := "1000000000"
		if strings.Contains(want, "not 1") {
			number = "1"
		}
		changed := strings.Replace(file, key, regexp.MustCompile(`\d+$`).ReplaceAllString(key, number), 1)
		if changed == file {
			t.Fatalf("no %s in the file", key)
		}
		if _, err := Read("my.json", []byte(changed)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", key, err, want)
		}
	}
}

// TestOneMessage: too many SMs are said once, not as an L1 of theirs that is too large, too.
func TestOneMessage(t *testing.T) {
	if _, err := Get("gv100:sms=1e9"); err == nil || !strings.HasSuffix(err.Error(), "sms.value: 1000000000 is beyond every GPU (4096)") || strings.Contains(err.Error(), "l1") {
		t.Error(err)
	}
}
