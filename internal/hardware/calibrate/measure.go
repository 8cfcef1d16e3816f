package calibrate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"gonum.org/v1/gonum/stat"

	"hyptx/internal/hardware/nvml"
)

// Machine is a GPU that can be measured. Read may be called from another
// goroutine than the rest.
type Machine interface {
	// Open makes a launch ready; OpenProgram a network's.
	Open(s Setup) (Job, error)
	OpenProgram(manifest string) (Job, error)
	// Read reads the sensors; it is nil where there are none.
	Read() (*nvml.Reading, error)
	// LockClock holds the SM clock at MHz, 0 gives it free.
	LockClock(mhz int) error
}

// Job is a launch that is ready.
type Job interface {
	// Run launches it times times with so many turns, waits and returns what the
	// events say, in milliseconds.
	Run(ctx context.Context, turns, times int) (ms float64, err error)
	// Registers and UsedSMs are known after a run; 0 if they are not.
	Registers() int
	UsedSMs() (int, error)
	Close() error
}

// ErrNoPower: the board gives no power readings. ErrClock: its clock cannot be
// locked.
var (
	ErrNoPower = errors.New("no power readings")
	ErrClock   = errors.New("the SM clock cannot be locked")
)

// The protocol. A rate is the shortest of several launches of at least a tenth
// of a second each, timed by events on the GPU; shorter ones would measure the
// launch. Power repeats such a launch for as long as the protocol says and reads
// the sensors every tenth of a second on a goroutine of its own; the first part
// of the readings is left out, because boards report averages over about a
// second and the chip's clock needs as long to settle.
//
// The clock is the session's own (Now, Sleep), so that tests run a day of
// measurements in no time and no result depends on how busy the machine is.

// Session measures points.
type Session struct {
	Machine  Machine
	Protocol Protocol
	Chip     Chip
	// Now and Sleep are the clock.
	Now   func() time.Time
	Sleep func(context.Context, time.Duration) error
}

// The time's own constants.
const (
	sampleEvery  = 100 * time.Millisecond // AccelWattch, section 5
	powerMS      = 100                    // of a launch while power is measured
	mostScaleMS  = 5000                   // of a run that finds how many turns take so long
	maxTurns     = math.MaxInt32
	launchCount  = 2000 // empty launches for what one takes
	settleShare  = 0.3  // of a measurement of power, left out
	settleMaxSec = 5
)

// Measure measures one point.
func (s *Session) Measure(ctx context.Context, p Point) (*Measurement, error) {
	m := &Measurement{Point: p, At: s.Now().UTC().Truncate(time.Second)}
	if p.ClockMHz != 0 {
		if err := s.Machine.LockClock(p.ClockMHz); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrClock, err)
		}
		defer s.Machine.LockClock(0)
	}
	if p.Benchmark == "idle" {
		return m, s.idle(ctx, m)
	}
	job, err := s.open(m)
	if err != nil {
		return nil, err
	}
	defer job.Close()
	if p.Kind == Rate {
		err = s.rate(ctx, job, m)
	} else {
		err = s.power(ctx, job, m)
	}
	if err != nil {
		return nil, err
	}
	m.Registers = job.Registers()
	m.UsedSMs, err = job.UsedSMs()
	return m, err
}

func (s *Session) open(m *Measurement) (Job, error) {
	if m.Manifest != "" {
		return s.Machine.OpenProgram(m.Manifest)
	}
	b, err := Lookup(m.Benchmark)
	if err != nil {
		return nil, err
	}
	setup := b.Setup(s.Chip, m.ActiveSMs, m.lanes())
	m.Setup = &setup
	return s.Machine.Open(setup)
}

// scale finds how many turns take at least ms milliseconds.
func (s *Session) scale(ctx context.Context, job Job, ms float64) (int, error) {
	for turns := 1; ; {
		begin := s.Now()
		took, err := job.Run(ctx, turns, 1)
		if err != nil || took >= ms {
			return turns, err
		}
		clockMS := 1e3 * s.Now().Sub(begin).Seconds()
		if turns == maxTurns || clockMS > mostScaleMS && turns >= 64 {
			return 0, fmt.Errorf("%d turns took %g ms: the events do not tell the time, %.0f ms by the clock", turns, took, clockMS)
		}
		// Short times are mostly overhead: grow in steps, none of which takes long
		// by the clock, whatever the events say.
		factor := min(1.2*ms/max(took, 1e-3), 64, 1.5*mostScaleMS/max(clockMS, 1e-3))
		turns = int(min(math.Ceil(float64(turns)*max(factor, 1.5)), maxTurns))
	}
}

// rate takes the shortest of several runs.
func (s *Session) rate(ctx context.Context, job Job, m *Measurement) error {
	turns, times := 1, 1
	if m.Benchmark == "launch" {
		times, m.Launches = launchCount, launchCount
		if _, err := job.Run(ctx, 1, times); err != nil { // warm
			return err
		}
	} else {
		n, err := s.scale(ctx, job, s.Protocol.RateMS)
		if err != nil {
			return err
		}
		turns = n
	}
	var err error
	if m.Before, err = s.Machine.Read(); err != nil {
		return err
	}
	for range s.Protocol.RateRuns {
		ms, err := job.Run(ctx, turns, times)
		if err != nil {
			return err
		}
		m.RunsMS = append(m.RunsMS, ms)
	}
	m.MS, m.Setup.Iterations = slices.Min(m.RunsMS), turns
	if !(m.MS > 0) {
		return fmt.Errorf("%s: the events say %g ms", m.Name(), m.MS)
	}
	m.After, err = s.Machine.Read()
	return err
}

// power repeats a launch and samples the sensors.
func (s *Session) power(ctx context.Context, job Job, m *Measurement) error {
	turns, err := s.scale(ctx, job, powerMS)
	if err != nil {
		return err
	}
	if m.Setup != nil {
		m.Setup.Iterations = turns
	} else {
		m.Launches = turns
	}
	if err := s.heat(ctx, job, turns); err != nil {
		return err
	}
	// Launches follow each other without a gap while the sampler reads; only
	// those of the steady part give the time.
	samples := s.sample(ctx)
	begin, steady := s.Now(), time.Duration(settle(m.Seconds)*float64(time.Second))
	var times []float64
	for s.Now().Sub(begin).Seconds() < m.Seconds {
		ms, err := job.Run(ctx, turns, 1)
		if err != nil {
			samples.stop()
			return err
		}
		if s.Now().Sub(begin) >= steady {
			times = append(times, ms)
		}
	}
	if len(times) == 0 {
		samples.stop()
		return fmt.Errorf("%s: one launch took longer than %g s: measure for longer (option seconds)", m.Name(), m.Seconds)
	}
	m.MS = stat.Mean(times, nil)
	return samples.finish(m, begin.Add(steady))
}

// settle is how much of a measurement is left out, in s: the board's own
// average has to forget what was before.
func settle(seconds float64) float64 { return min(settleShare*seconds, settleMaxSec) }

// idle samples without a kernel.
func (s *Session) idle(ctx context.Context, m *Measurement) error {
	samples := s.sample(ctx)
	begin := s.Now()
	if err := s.Sleep(ctx, time.Duration(m.Seconds*float64(time.Second))); err != nil {
		samples.stop()
		return err
	}
	return samples.finish(m, begin.Add(time.Duration(settle(m.Seconds)*float64(time.Second))))
}

// heat runs the job until the chip is as warm as the protocol wants, for as
// long as it allows.
func (s *Session) heat(ctx context.Context, job Job, turns int) error {
	if s.Protocol.TemperatureC == 0 {
		return nil
	}
	for begin := s.Now(); s.Now().Sub(begin).Seconds() < s.Protocol.HeatSeconds; {
		r, err := s.Machine.Read()
		if err != nil {
			return err
		}
		if r == nil || !r.Has("temperature_c") || r.TemperatureC >= s.Protocol.TemperatureC {
			return nil
		}
		if _, err := job.Run(ctx, turns, 10); err != nil {
			return err
		}
	}
	return nil
}

// sampler reads the sensors at intervals until it is stopped.
type sampler struct {
	done     chan struct{}
	wait     sync.WaitGroup
	times    []time.Time
	readings []nvml.Reading
	err      error
}

func (s *Session) sample(ctx context.Context) *sampler {
	r := &sampler{done: make(chan struct{})}
	ctx, cancel := context.WithCancel(ctx)
	r.wait.Go(func() {
		defer cancel()
		for {
			reading, err := s.Machine.Read()
			if err != nil || reading == nil {
				r.err = err
				return
			}
			r.times, r.readings = append(r.times, s.Now()), append(r.readings, *reading)
			select {
			case <-r.done:
				return
			default:
			}
			if s.Sleep(ctx, sampleEvery) != nil {
				return
			}
		}
	})
	return r
}

func (r *sampler) stop() {
	close(r.done)
	r.wait.Wait()
}

// finish stops sampling and sums up what was read from a moment on.
func (r *sampler) finish(m *Measurement, from time.Time) error {
	r.stop()
	if r.err != nil {
		return r.err
	}
	// Readings before the steady part belong to what ran before.
	first, _ := slices.BinarySearchFunc(r.times, from, time.Time.Compare)
	list, times := r.readings[first:], r.times[first:]
	if len(list) > 0 && list[0].WhyAbsent("power_w") != nil {
		return fmt.Errorf("%s: %w: %w", m.Name(), ErrNoPower, list[0].WhyAbsent("power_w"))
	}
	if len(list) < 2 || !list[0].Has("power_w") {
		return fmt.Errorf("%s: %w: %d readings", m.Name(), ErrNoPower, len(list))
	}
	p := &PowerStats{Samples: len(list), Seconds: times[len(times)-1].Sub(times[0]).Seconds()}
	var watts, celsius, sm, memory []float64
	for _, x := range list {
		watts, celsius = append(watts, x.PowerW), append(celsius, x.TemperatureC)
		sm, memory = append(sm, x.SMClockMHz), append(memory, x.MemClockMHz)
		p.Throttle |= x.Throttle
	}
	p.MeanW, p.StdW = stat.MeanStdDev(watts, nil)
	p.TemperatureC, p.SMClockMHz, p.MemClockMHz = stat.Mean(celsius, nil), stat.Mean(sm, nil), stat.Mean(memory, nil)
	if last := list[len(list)-1]; last.Has("energy_j") && p.Seconds > 0 {
		p.EnergyW = (last.EnergyJ - list[0].EnergyJ) / p.Seconds
	}
	m.Power = p
	return nil
}
