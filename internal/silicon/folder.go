package silicon

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"hyptx/internal/csvfile"
	"hyptx/internal/gpu"
	"hyptx/internal/number"
	"hyptx/internal/textfile"
)

// A folder has tables in measured/, and the manifests that they name, by paths
// relative to it. Files of GPUs may lie in gpus/, there or beside the folder: a
// data set knows best which board it was measured on, if hyptx does not know that
// board itself.

// Folder is a folder of measured rows.
type Folder struct {
	// Root is the folder that measured/ lies in.
	Root string
	Rows []*Row
	// Files are the tables and GPUs that were read.
	Files []string
	// Passed are tables that have other columns, with what they lack, or no rows, and how
	// many rows were left out.
	Passed  []string
	gpus    []*gpu.GPU
	without []Without
}

// Without leaves out the rows that have a value in a column of their table: data sets
// know of some rows that they are not to be compared.
type Without struct{ Column, Value string }

// ParseWithout reads COLUMN=VALUE.
func ParseWithout(text string) (Without, error) {
	column, value, ok := strings.Cut(text, "=")
	if !ok || column == "" {
		return Without{}, errors.New("must be COLUMN=VALUE, as comparable=no")
	}
	return Without{column, value}, nil
}

// needed are the columns of a table of measured rows; it may have others.
var needed = []string{"set", "gpu", "sm_mhz", "mem_mhz", "manifest", "launch", "scale", "program", "kernel", "time_us", "power_w"}

// maxFileBytes bounds a table.
const maxFileBytes = csvfile.MaxBytes

// Open reads the tables of a folder, or of kernels/ in it; of one set alone if that
// is not "", and without some rows.
func Open(dir, set string, without ...Without) (*Folder, error) {
	f := &Folder{Root: dir, without: without}
	if st, err := os.Stat(filepath.Join(dir, "measured")); err != nil || !st.IsDir() {
		f.Root = filepath.Join(dir, "kernels")
	}
	tables, err := filepath.Glob(filepath.Join(f.Root, "measured", "*.csv"))
	if err != nil || len(tables) == 0 {
		return nil, fmt.Errorf("%s: there is no table measured/*.csv or kernels/measured/*.csv", dir)
	}
	var failed error
	for _, path := range tables {
		failed = errors.Join(failed, f.read(path))
	}
	switch {
	case failed != nil || f.Rows != nil:
	case f.Files != nil:
		failed = fmt.Errorf("%s: no row is left: %s", dir, strings.Join(f.Passed, "; "))
	default:
		failed = fmt.Errorf("%s: no table has the columns %s", dir, strings.Join(needed, ", "))
	}
	if failed == nil && set != "" {
		failed = f.choose(set)
	}
	return f, errors.Join(failed, f.readGPUs())
}

// choose leaves the rows of a set.
func (f *Folder) choose(set string) error {
	var sets []string
	for _, r := range f.Rows {
		if !slices.Contains(sets, r.Set) {
			sets = append(sets, r.Set)
		}
	}
	f.Rows = slices.DeleteFunc(f.Rows, func(r *Row) bool { return r.Set != set })
	if len(f.Rows) == 0 {
		return fmt.Errorf("there is no set %s: the sets are %s", set, strings.Join(sets, ", "))
	}
	return nil
}

// read adds the rows of a table.
func (f *Folder) read(path string) error {
	name, text, err := textfile.Read(path, nil, maxFileBytes)
	if err != nil {
		return err
	}
	table, err := csvfile.Format{}.Open(name, text)
	if err != nil {
		return err
	}
	for _, c := range needed {
		if _, ok := table.Column[c]; !ok {
			f.Passed = append(f.Passed, fmt.Sprintf("%s has no column %s and is passed over", filepath.Base(path), c))
			return nil
		}
	}
	f.Files = append(f.Files, path)
	var failed error
	left, empty := make([]int, len(f.without)), true
	for line, err := range table.Rows() {
		row := &Row{}
		empty = false
		if i := f.leftOut(table, line.Cells); err == nil && i >= 0 {
			left[i]++
			continue
		}
		if err == nil {
			err = row.read(func(column string) string { return strings.TrimSpace(strings.Clone(line.Cells[table.Column[column]])) })
		}
		if err != nil {
			failed = errors.Join(failed, table.At(line.Line, err))
			continue
		}
		f.Rows = append(f.Rows, row)
	}
	if empty {
		f.Passed = append(f.Passed, filepath.Base(path)+" has no rows")
	}
	for i, n := range left {
		if n > 0 {
			f.Passed = append(f.Passed, fmt.Sprintf("%s: rows with %s=%s are left out: %d", filepath.Base(path), f.without[i].Column, f.without[i].Value, n))
		}
	}
	return failed
}

// leftOut returns which of the folder's exclusions a row falls under, -1 if none.
func (f *Folder) leftOut(table *csvfile.Table, cells []string) int {
	return slices.IndexFunc(f.without, func(w Without) bool {
		c, ok := table.Column[w.Column]
		return ok && c < len(cells) && strings.TrimSpace(cells[c]) == w.Value
	})
}

// read fills what was measured. An empty cell is not measured, never 0.
func (r *Row) read(cell func(string) string) error {
	r.Set, r.GPU, r.Manifest, r.Launch, r.Program, r.Kernel = cell("set"), cell("gpu"), cell("manifest"), cell("launch"), cell("program"), cell("kernel")
	var scale number.Real
	for _, c := range []struct {
		column      string
		to          *number.Real
		least, most float64
	}{
		{"sm_mhz", &r.SMMHz, leastMHz, gpu.MostMHz}, {"mem_mhz", &r.MemMHz, leastMHz, mostMemMHz}, {"scale", &scale, 1 / mostScale, mostScale},
		{"time_us", &r.MeasuredUs, leastUs, mostUs}, {"power_w", &r.MeasuredW, leastW, mostW},
	} {
		text := cell(c.column)
		if text == "" {
			continue
		}
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || !(x >= c.least && x <= c.most) {
			return fmt.Errorf("%s is %.30q: must be from %g to %g, or empty", c.column, text, c.least, c.most)
		}
		*c.to = number.Ratio(x)
	}
	r.Scale = cmp.Or(scale.X, 1)
	if r.GPU == "" {
		return errors.New("gpu is empty")
	}
	return nil
}

// What is measured is within these bounds: beyond them it is a slip of the pen, and errors
// in percent of it would be astronomical. Memories are written with their data rate, too.
const (
	leastMHz, mostMemMHz = 1, 100_000
	leastUs, mostUs      = 1e-3, 1e15 // a cycle is 1e-4 us and more
	leastW, mostW        = 1e-3, 1e6
	mostScale            = 1e9
)

// readGPUs reads the GPUs of the folder.
func (f *Folder) readGPUs() error {
	var failed error
	for _, dir := range []string{f.Root, filepath.Dir(filepath.Clean(f.Root))} {
		files, _ := filepath.Glob(filepath.Join(dir, "gpus", "*.json"))
		for _, path := range files {
			g, err := gpu.Get(path)
			if err != nil {
				failed = errors.Join(failed, err)
				continue
			}
			f.gpus, f.Files = append(f.gpus, g), append(f.Files, path)
		}
		if files != nil {
			break
		}
	}
	return failed
}

// path is where a row's manifest lies.
func (f *Folder) path(manifest string) string {
	return filepath.Join(f.Root, filepath.FromSlash(manifest))
}
