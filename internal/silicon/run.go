package silicon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"hyptx/analysis"
	"hyptx/internal/gpu"
	"hyptx/internal/predict"
	"hyptx/internal/roofline"
)

// A manifest is emulated once: the caches of all boards that have rows of it listen
// to that run, and clocks are the models' business alone. Of a hundred rows on two
// boards at three clocks eight kernels run, not a hundred.

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
	boards := map[string]*gpu.GPU{}
	for _, r := range f.Rows {
		g, err := f.board(r.GPU, p.GPUs)
		if err != nil {
			r.lacks(err)
			continue
		}
		boards[r.GPU] = g
	}
	if p.GPUs != nil {
		f.Rows = slices.DeleteFunc(f.Rows, func(r *Row) bool { return boards[r.GPU] == nil })
		if len(f.Rows) == 0 {
			return errors.New("no row is of one of these GPUs")
		}
	}
	for _, name := range f.manifests() {
		var rows []*Row
		for _, r := range f.Rows {
			if r.Manifest == name && boards[r.GPU] != nil {
				rows = append(rows, r)
			}
		}
		err := context.Cause(ctx)
		if err == nil {
			err = p.manifest(ctx, f, name, rows, boards)
		}
		for _, r := range rows {
			if err != nil && !r.TimeUs.Known && r.Missing == "" {
				r.lacks(err)
			}
		}
	}
	return context.Cause(ctx)
}

// manifests are those that rows name, in order.
func (f *Folder) manifests() (names []string) {
	for _, r := range f.Rows {
		if !slices.Contains(names, r.Manifest) {
			names = append(names, r.Manifest)
		}
	}
	return names
}

// lacks notes why a row has no figure.
func (r *Row) lacks(err error) {
	r.Missing = strings.ReplaceAll(err.Error(), "\n", "; ")
	r.PowerMissing = r.Missing
}

// manifest predicts the rows of one manifest.
func (p *Plan) manifest(ctx context.Context, f *Folder, name string, rows []*Row, boards map[string]*gpu.GPU) error {
	if name == "" {
		return errors.New("the row has no manifest")
	}
	if st, err := os.Stat(f.path(name)); err != nil || st.IsDir() {
		return fmt.Errorf("there is no manifest %s", name)
	}
	on, gpus, err := p.boards(rows, boards)
	if err != nil {
		return err
	}
	o := p.Analysis
	o.Mode, o.LongestWarp, o.GPUs = analysis.Memory, true, gpus
	s, err := p.Open(f.path(name), o)
	if err != nil {
		return err
	}
	list, any := chosen(s, rows)
	if !any {
		return nil // the rows say why
	}
	s.Options.Launch = list
	profile, err := analysis.ProfileAll(ctx, []*analysis.Session{s})
	for _, b := range on {
		err = errors.Join(err, p.onBoard(ctx, b, profile))
	}
	return err
}

// boardRows are the rows of a manifest on one board.
type boardRows struct {
	gpu  *gpu.GPU
	rows []*Row
}

// boards sorts rows by their boards, and returns those of the boards whose caches
// can be modelled.
func (p *Plan) boards(rows []*Row, of map[string]*gpu.GPU) (list []*boardRows, cached []*gpu.GPU, err error) {
	var devices []*roofline.Device
	for _, r := range rows {
		g := of[r.GPU]
		i := slices.IndexFunc(list, func(b *boardRows) bool { return b.gpu == g })
		if i < 0 {
			i, list = len(list), append(list, &boardRows{gpu: g})
			devices = append(devices, &roofline.Device{Name: g.Label(), Spec: g})
		}
		list[i].rows = append(list[i].rows, r)
	}
	if !p.Footprint {
		cached, err = predict.Modelled(devices, func(*roofline.Device, *gpu.UnknownError) {})
	}
	return list, cached, err
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
	var labels []string
	for step := range s.Manifest.All() {
		if step.Launch != nil {
			labels = append(labels, step.Launch.Label)
		}
	}
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
