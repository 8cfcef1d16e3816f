package silicon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"hyptx/analysis"
	"hyptx/internal/gpu"
	"hyptx/internal/predict"
	"hyptx/internal/roofline"
	"hyptx/internal/table"
)

// A manifest is emulated once: the caches of all boards that have rows of it listen
// to that run. Of a hundred rows on two boards at three clocks eight kernels run, not
// a hundred.

// Plan says how the rows of a folder are predicted.
type Plan struct {
	Analysis analysis.Options
	Time     roofline.Options
	// GPUs, if any, are the only boards that count; a file stands for the board
	// whose title it has.
	GPUs []*gpu.GPU
	// Footprint: no caches, each byte goes through DRAM once.
	Footprint bool
	// EnergyScale is the factor on a GV100's energies for boards of whose
	// technology none was published; 0 leaves these without power.
	EnergyScale float64
	// Open opens a manifest.
	Open func(path string, o analysis.Options) (*analysis.Session, error)
}

// Run predicts all rows of a folder, those of other boards than the plan's left
// out. If the context ends, its error comes with rows that say so.
func (p *Plan) Run(ctx context.Context, f *Folder) error {
	p.findGPUs(f)
	if p.GPUs != nil {
		f.Rows = slices.DeleteFunc(f.Rows, func(r *Row) bool { return r.gpu == nil })
		if len(f.Rows) == 0 {
			return errors.New("no row is of one of these GPUs")
		}
	}
	of := slices.DeleteFunc(slices.Clone(f.Rows), func(r *Row) bool { return r.gpu == nil })
	for _, rows := range table.Groups(of, func(r *Row) string { return r.Manifest }) {
		err := context.Cause(ctx)
		if err == nil {
			err = p.manifest(ctx, f, rows[0].Manifest, rows)
		}
		for _, r := range rows {
			if err != nil && !r.TimeUs.Known && r.Missing == "" {
				r.lacks(err)
			}
			r.relative(f.Root)
		}
	}
	return context.Cause(ctx)
}

// findGPUs gives the rows their GPUs at their clocks: one for all rows of the same.
// Where times are not simulated, clocks are the models' business, and one GPU for all
// clocks listens to the emulation.
func (p *Plan) findGPUs(f *Folder) {
	type clocks struct {
		name        string
		mhz, memMHz float64
	}
	specs := map[clocks]*gpu.GPU{}
	for _, r := range f.Rows {
		key := clocks{r.GPU, r.SMMHz.X, r.MemMHz.X}
		b, err := f.board(r.GPU, p.GPUs)
		if err != nil {
			r.lacks(err)
			continue
		}
		if specs[key] == nil {
			specs[key] = b.at(key.mhz, key.memMHz)
		}
		r.gpu, r.listens = specs[key], b.gpu
		if p.Time.Model == nil || p.Time.Model.Simulates {
			r.listens = r.gpu
		}
	}
}

// lacks notes why a row has no figure.
func (r *Row) lacks(err error) {
	r.Missing = strings.ReplaceAll(err.Error(), "\n", "; ")
	r.PowerMissing = r.Missing
}

// relative takes the folder's path out of the reasons, which are to be the same
// wherever it lies.
func (r *Row) relative(root string) {
	for _, text := range []*string{&r.Missing, &r.PowerMissing, &r.Warnings} {
		*text = strings.ReplaceAll(*text, filepath.Clean(root)+string(filepath.Separator), "")
	}
}

// manifest predicts the rows of one manifest.
func (p *Plan) manifest(ctx context.Context, f *Folder, name string, rows []*Row) error {
	if name == "" {
		return errors.New("the row has no manifest")
	}
	if st, err := os.Stat(f.path(name)); err != nil || st.IsDir() {
		return fmt.Errorf("there is no manifest %s", name)
	}
	of := table.Groups(rows, func(r *Row) *gpu.GPU { return r.listens })
	s, err := p.Open(f.path(name), p.Analysis)
	if err != nil {
		return err
	}
	if err := p.listen(s, of); err != nil {
		return err
	}
	list, any := chosen(s, rows)
	if !any {
		return nil // the rows say why
	}
	s.Options.Launch = list
	profile, err := analysis.ProfileAll(ctx, []*analysis.Session{s})
	ctx = context.WithoutCancel(ctx) // what was counted has figures, also if the run was ended
	for _, rows := range of {
		err = errors.Join(err, p.onGPU(ctx, rows[0].listens, rows, profile))
	}
	return err
}

// listen prepares a program for the GPUs that listen to its emulation, with rows each.
func (p *Plan) listen(s *analysis.Session, of [][]*Row) error {
	var devices []*roofline.Device
	for _, rows := range of {
		g := rows[0].listens
		devices = append(devices, &roofline.Device{Name: g.Label(), Spec: g})
	}
	c := predict.Choice{Model: p.Time.Model, Simulated: p.Analysis.SimulatedInstructions, Footprint: p.Footprint}
	if p.Footprint && c.Model == nil { // which is asked for to be quick
		c.Model = roofline.Extended
	}
	return c.Prepare([]*analysis.Session{s}, devices, func(*roofline.Device, *gpu.UnknownError) {})
}

// chosen returns the launches that rows are of, as options name them: by numbers,
// as a label may hold anything; all if a row is of the whole program. Rows of a
// launch that is not there say so; none may be left.
func chosen(s *analysis.Session, rows []*Row) (list string, any bool) {
	numbers := numbersOf(s)
	var names []string
	whole := false
	for _, r := range rows {
		number, ok := numbers[r.Launch]
		switch {
		case r.Launch == "":
			whole = true
		case !ok:
			r.lacks(fmt.Errorf("the manifest has no launch %q", r.Launch))
			continue
		default:
			r.number, names = number, append(names, number)
		}
		any = true
	}
	if whole {
		return "", any
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ","), any
}

// numbersOf are the numbers of a program's launches by what they are called: their
// labels, of which the first counts, and else the numbers.
func numbersOf(s *analysis.Session) map[string]string {
	labels := s.Manifest.Labels()
	numbers := map[string]string{}
	for i := range labels {
		numbers[strconv.Itoa(i)] = strconv.Itoa(i)
	}
	for i, label := range slices.Backward(labels) {
		if label != "" {
			numbers[label] = strconv.Itoa(i)
		}
	}
	return numbers
}
