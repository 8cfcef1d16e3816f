package calibrate

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"hyptx/internal/hardware/cuda"
	"hyptx/internal/hardware/nvml"
	"hyptx/internal/strictjson"
	"hyptx/internal/textfile"
)

// The log. Measuring takes minutes to hours on a machine that may be taken away
// at any time, so each measurement is a line of JSON that is written and synced
// at once. Everything else follows from the log: a run that was cut off goes on
// with the points that it lacks, and a better evaluation needs no GPU. What a
// crash leaves of a last line is cut off; what it leaves of the first is begun
// anew. A lock of the operating system keeps a second writer out, and ends with
// the process that held it.
//
// A log may come from another machine, so what is read is checked: numbers that
// no GPU can have are errors.

// Subject is what is measured: the GPU as its driver describes it.
type Subject struct {
	cuda.DeviceInfo
	// Driver is the driver's own version, "550.54.15"; LimitW the power limit
	// that was in force; ECC that of the memory. They are absent without NVML.
	Driver string   `json:"driver,omitempty"`
	LimitW float64  `json:"limit_w,omitempty"`
	ECC    *bool    `json:"ecc,omitempty"`
	Hyptx  string   `json:"hyptx"`
	Notes  []string `json:"notes,omitempty"`
}

// Chip is what the shapes of launches depend on.
func (s *Subject) Chip() Chip {
	return Chip{CC: 10*s.Major + s.Minor, SMs: s.SMs, L2Bytes: int64(s.L2Bytes), MemoryBytes: int64(s.MemoryBytes)}
}

// Measurement is what was measured at a point.
type Measurement struct {
	Point
	// Setup is the launch, with as many turns as were measured; a network has
	// none. Launches is how many of it MS stands for, if not one.
	Setup    *Setup    `json:"setup,omitempty"`
	Launches int       `json:"launches,omitempty"`
	At       time.Time `json:"at"`
	// MS is the time of the launch in milliseconds: the shortest of RunsMS for a
	// rate, the mean of the steady part for power.
	MS     float64   `json:"ms,omitempty"`
	RunsMS []float64 `json:"runs_ms,omitempty"`
	// Registers is what the kernel has a thread, UsedSMs how many SMs its CTAs
	// ran on.
	Registers int `json:"registers,omitempty"`
	UsedSMs   int `json:"used_sms,omitempty"`
	// Before and After are readings beside a rate; Power are those during power.
	Before *nvml.Reading `json:"before,omitempty"`
	After  *nvml.Reading `json:"after,omitempty"`
	Power  *PowerStats   `json:"power,omitempty"`
}

// PowerStats are the readings of the steady part of a measurement.
type PowerStats struct {
	MeanW   float64 `json:"mean_w"`
	StdW    float64 `json:"std_w"` // of the readings
	Samples int     `json:"samples"`
	Seconds float64 `json:"seconds"`
	// EnergyW is the mean by the board's energy counter; 0 if it has none.
	EnergyW      float64      `json:"energy_w,omitempty"`
	TemperatureC float64      `json:"temperature_c"` // mean
	SMClockMHz   float64      `json:"sm_clock_mhz"`  // mean
	MemClockMHz  float64      `json:"mem_clock_mhz"` // mean
	Throttle     nvml.Reasons `json:"throttle"`      // all that occurred
}

// entry is a line of the log.
type entry struct {
	Subject     *Subject     `json:"subject,omitempty"`
	Measurement *Measurement `json:"measurement,omitempty"`
}

// Log has the measurements of one GPU, and writes each to a file at once.
type Log struct {
	Subject      *Subject
	Measurements []*Measurement
	// Note is what the user should know of it, "" for nothing.
	Note string
	path string
	lock *flock.Flock // of a log that is written
}

// maxLogBytes bounds a log that is read.
const maxLogBytes = 64 << 20

// ReadLog reads a log. A last line that is not whole, as of a process that was
// killed while it wrote, is left out.
func ReadLog(path string) (*Log, error) {
	_, text, err := textfile.Read(path, nil, maxLogBytes)
	if err != nil {
		return nil, err
	}
	// What stands behind the last end of line is half of an entry.
	l := &Log{path: path}
	end := bytes.LastIndexByte(text, '\n') + 1
	lines := bufio.NewScanner(bytes.NewReader(text[:end]))
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		if err := l.add(lines.Bytes()); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if l.Subject == nil {
		return nil, fmt.Errorf("%s: the log names no GPU: its first line should", path)
	}
	return l, nil
}

// add reads one line.
func (l *Log) add(line []byte) error {
	var e entry
	if err := strictjson.Into(line, "", &e); err != nil {
		return fmt.Errorf("no line of a log of hyptx calibrate: %w", err)
	}
	switch {
	case e.Subject != nil && l.Subject == nil:
		l.Subject = e.Subject
		return l.Subject.check()
	case e.Subject != nil:
		return errors.New("the log names a second GPU")
	case e.Measurement != nil && l.Subject == nil:
		return errors.New("a measurement before the GPU is named")
	case e.Measurement != nil:
		if err := e.Measurement.check(); err != nil {
			return err
		}
		l.Measurements = append(l.Measurements, e.Measurement)
	}
	return nil
}

// What no launch takes: a day, and the power of a rack.
const (
	mostMS = 24 * 3600 * 1000
	mostW  = 100000
)

// check finds what no GPU is.
func (s *Subject) check() error {
	if s.SMs < 1 || s.Major < 1 || s.Minor < 0 || s.Minor > 9 {
		return fmt.Errorf("the log's GPU has sms %d and compute capability %d.%d: no GPU has", s.SMs, s.Major, s.Minor)
	}
	return nil
}

// check finds what cannot have been measured.
func (m *Measurement) check() error {
	switch {
	case m.Kind != Rate && m.Kind != Power:
		return fmt.Errorf("kind %q: must be rate or power", m.Kind)
	case !(m.MS >= 0 && m.MS <= mostMS) || slices.ContainsFunc(m.RunsMS, func(ms float64) bool { return !(ms > 0 && ms <= mostMS) }):
		return fmt.Errorf("%s: times must be positive, and at most %g ms, a day", m.Name(), float64(mostMS))
	case m.Power != nil && !(m.Power.MeanW > 0 && m.Power.MeanW <= mostW):
		return fmt.Errorf("%s: mean_w is %g: must be positive, and at most %d", m.Name(), m.Power.MeanW, mostW)
	case m.Setup != nil && m.UsedSMs < 1:
		return fmt.Errorf("%s: used_sms is %d: a kernel uses at least one", m.Name(), m.UsedSMs)
	case m.Setup != nil && (m.Setup.Grid < 1 || m.Setup.Block < 1 || m.Setup.Block > 1024 || m.Setup.Iterations < 1 || m.Setup.Lanes < 1 || m.Setup.Lanes > warpLanes):
		return fmt.Errorf("%s: the setup cannot have been launched", m.Name())
	}
	return nil
}

// OpenLog continues the log in a file, or begins one; Close ends it. The log of
// another GPU, and one that another process writes, is an error.
func OpenLog(path string, s *Subject) (*Log, error) {
	held, err := lock(path)
	if err != nil {
		return nil, err
	}
	l, err := openLocked(path, s)
	if err != nil {
		return nil, errors.Join(err, (&Log{lock: held}).Close())
	}
	l.lock = held
	return l, nil
}

func openLocked(path string, s *Subject) (*Log, error) {
	text, err := os.ReadFile(path)
	began := errors.Is(err, fs.ErrNotExist)
	if began || err == nil && brokeOff(text) {
		l := &Log{Subject: s, path: path}
		if !began {
			l.Note = path + " broke off within its first line, before any measurement: begun anew"
		}
		return l, l.write(entry{Subject: s}, os.O_CREATE|os.O_TRUNC)
	}
	l, err := ReadLog(path)
	if err != nil {
		return nil, err
	}
	if l.Subject.UUID != s.UUID {
		return nil, fmt.Errorf("%s has measurements of %s (%s), not of %s (%s): choose another output or remove it", path, l.Subject.Name, l.Subject.UUID, s.Name, s.UUID)
	}
	return l, l.cut()
}

// brokeOff reports whether a text is what a crash leaves of a log's first line:
// its beginning, or nothing.
func brokeOff(text []byte) bool {
	const first = `{"subject":`
	n := min(len(text), len(first))
	return bytes.IndexByte(text, '\n') < 0 && string(text[:n]) == first[:n]
}

// cut removes a last line that is not whole.
func (l *Log) cut() error {
	text, err := os.ReadFile(l.path)
	if err != nil {
		return err
	}
	return os.Truncate(l.path, int64(bytes.LastIndexByte(text, '\n')+1))
}

// Has reports whether a point was measured.
func (l *Log) Has(p Point) bool {
	p.Manifest = "" // the text says which network it is
	for _, m := range l.Measurements {
		of := m.Point
		if of.Manifest = ""; of == p {
			return true
		}
	}
	return false
}

// Add writes a measurement.
func (l *Log) Add(m *Measurement) error {
	l.Measurements = append(l.Measurements, m)
	return l.write(entry{Measurement: m}, 0)
}

func (l *Log) write(e entry, flags int) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(l.path, os.O_WRONLY|os.O_APPEND|flags, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Sync(), f.Close())
}
