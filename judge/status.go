package judge

import (
	"encoding/json"
	"os"
	"time"

	"hyptx/analysis/golden"
)

// The states of a part.
const (
	stateDone    = "done"
	statePartial = "partial" // its time was over; what was done by then is there
	stateSkipped = "skipped" // it cannot run here
	stateFailed  = "failed"
)

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
}

func (j *judge) begin() {
	j.status = status{Date: j.date(), Version: j.Version, Budget: j.Budget.Seconds(), Parts: []partStatus{}}
	if j.device.Name != "" {
		j.status.Device = &j.device
		j.say("%s, compute capability %d.%d, driver %d; %d programs, budget %s, into %s", j.device.Name, j.device.Major, j.device.Minor,
			j.device.DriverVersion, len(j.samples), j.Budget, j.dir)
	}
}

// date is the day of the run.
func (j *judge) date() string { return j.Date.UTC().Format(time.DateOnly) }

// report adds a part to judge.json and to the log.
func (j *judge) report(name, state string, took time.Duration, note string) {
	seconds := float64(took.Round(100*time.Millisecond)) / float64(time.Second)
	j.status.Parts = append(j.status.Parts, partStatus{name, state, seconds, note})
	j.say("%s: %s after %.1f s: %s", name, state, seconds, note)
	text, err := json.MarshalIndent(j.status, "", " ")
	if err == nil {
		err = replace(j.file("judge.json"), append(text, '\n'))
	}
	if err != nil {
		j.say("judge.json: %v", err)
	}
}

// replace writes a file so that it is never half there.
func replace(path string, text []byte) error {
	if err := os.WriteFile(path+".new", text, 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
