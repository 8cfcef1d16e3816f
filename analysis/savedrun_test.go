package analysis

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hyptx/internal/source"
)

// TestReadSavedRun: a document may be as large as its outputs make it, not as
// a source may be; beyond that it is refused.
func TestReadSavedRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gpu.json")
	text := `{"inputs_sha256": "a", "network": "n", "outputs": []}`
	// One byte more than a source may have, most of it spaces.
	if err := os.WriteFile(path, []byte(text+strings.Repeat(" ", source.MaxBytes+1-len(text))), 0o644); err != nil {
		t.Fatal(err)
	}
	if r, err := ReadSavedRun(path, 1); err != nil || r.Network != "n" {
		t.Error(r, err)
	}
	if _, err := ReadSavedRun(path, 0); err == nil || !strings.Contains(err.Error(), "larger than 256 MiB") {
		t.Error(err)
	}
}
