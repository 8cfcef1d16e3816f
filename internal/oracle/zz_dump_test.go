package oracle

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

func TestZZDump(t *testing.T) {
	seed, err := strconv.ParseUint(os.Getenv("DUMP_SEED"), 10, 64)
	if err != nil {
		t.Skip()
	}
	p := sharingProgram(seed, seed%2 == 0, seed%16 == 15)
	dir := os.Getenv("DUMP_DIR")
	os.MkdirAll(dir, 0o777)
	os.WriteFile(filepath.Join(dir, "k.ptx"), []byte(p.ptx), 0o666)
	text := fmt.Sprintf(`{"version": 1, "buffers": {"out": {"bytes": %d, "type": "u32", "init": "zero"}}, "launches": [
		{"module": "k.ptx", "kernel": "k", "grid": [%d, %d, %d], "block": [%d, %d, %d], "args": [{"buffer": "out"}, {"value": %d}]}],
		"limits": {"stackBytes": 4096}, "outputs": ["out"]}`,
		p.bytes(), p.grid[0], p.grid[1], p.grid[2], p.block[0], p.block[1], p.block[2], p.n)
	os.WriteFile(filepath.Join(dir, "m.json"), []byte(text), 0o666)
}
