package judge

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"hyptx/internal/hardware/golden"
)

// The states of a part.
const (
	stateDone    = "done"
	statePartial = "partial" // its time was over; what was done by then is there
	stateSkipped = "skipped" // it cannot run here
	stateFailed  = "failed"
)

// states are the best one first.
var states = []string{stateDone, statePartial, stateFailed, stateSkipped}

// statusFile has what came of each part.
const statusFile = "judge.json"

// judge.json is what people read first, and what a later run adds to: a folder may be
// filled by several runs, each with a part of the time, so that every part says which
// run it is of.

// status is judge.json.
type status struct {
	Device  *golden.Device `json:"device"` // null without a GPU
	Date    string         `json:"date"`
	Version string         `json:"hyptx_version"`
	Budget  float64        `json:"budget_s"`
	Parts   []partStatus   `json:"parts"`
}

// partStatus is what came of a part.
type partStatus struct {
	Name    string  `json:"name"`
	State   string  `json:"state"`
	Seconds float64 `json:"seconds"`
	Note    string  `json:"note"`
	// Date and Version are those of the run that did it.
	Date    string `json:"date"`
	Version string `json:"hyptx_version"`
}

// begin continues the judge.json of an earlier run, or begins one.
func (j *judge) begin() error {
	j.wrote, j.kept = map[string]bool{}, map[string]string{}
	text, err := os.ReadFile(j.file(statusFile))
	if err == nil {
		err = json.Unmarshal(text, &j.status)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w; move the file away", j.file(statusFile), err)
	}
	j.status = status{Date: j.date(), Version: j.Version, Budget: j.Budget.Seconds(), Parts: append([]partStatus{}, j.status.Parts...)}
	if j.device.Name != "" {
		j.status.Device = &j.device
		j.say("%s, compute capability %d.%d, driver %d; %d programs, budget %s, into %s", j.device.Name, j.device.Major, j.device.Minor,
			j.device.DriverVersion, len(j.samples), j.Budget, j.dir)
	}
	return nil
}

// date is the day of the run.
func (j *judge) date() string { return j.Date.UTC().Format(time.DateOnly) }

// report adds a part to judge.json and to the log. What an earlier run said of
// the part stays where its files do.
func (j *judge) report(name, state string, took time.Duration, note string) {
	seconds := float64(took.Round(100*time.Millisecond)) / float64(time.Second)
	if kept := j.kept[name]; kept != "" {
		note = join(note, kept)
	}
	j.say("%s: %s after %.1f s: %s", name, state, seconds, note)
	p := partStatus{name, state, seconds, note, j.date(), j.Version}
	switch i := slices.IndexFunc(j.status.Parts, func(p partStatus) bool { return p.Name == name }); {
	case i < 0:
		j.status.Parts = append(j.status.Parts, p)
	case j.wrote[name] || slices.Index(states, state) <= slices.Index(states, j.status.Parts[i].State) && j.kept[name] == "":
		j.status.Parts[i] = p
	default:
		j.say("%s: an earlier run left it %s, which stands", name, j.status.Parts[i].State)
	}
	order := Parts()
	slices.SortStableFunc(j.status.Parts, func(a, b partStatus) int {
		return cmp.Compare(slices.Index(order, a.Name), slices.Index(order, b.Name))
	})
	text, err := json.MarshalIndent(j.status, "", " ")
	if err == nil {
		err = replace(j.file(statusFile), append(text, '\n'))
	}
	if err != nil {
		j.say("%s: %v", statusFile, err)
	}
}

// replace writes a file so that it is never half there.
func replace(path string, text []byte) error {
	if err := os.WriteFile(path+".new", text, 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
