package calibrate

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"hyptx/internal/hardware/cuda"
	"hyptx/internal/hardware/nvml"
)

// The machine of a real measurement: a CUDA device for launches, NVML for power,
// temperature and clocks. They are two libraries that number GPUs differently,
// so the sensors' GPU is found by UUID or, where the driver tells none, by its
// place on the bus. Sensors may be missing, or refused to this user or
// container: then rates are measured all the same, and the log's first line says
// which readings there are not, and why.

// GPU is a Machine: a CUDA device with its sensors. All but Read and LockClock
// belong to the goroutine that opened it.
type GPU struct {
	Subject *Subject
	context *cuda.Context
	sensors *nvml.Device
	library *nvml.Library
	locked  atomic.Bool
}

// OpenGPU takes a GPU into use. Without the management library, or with one
// that does not know the GPU, there are no sensors: a note of the subject says
// why.
func OpenGPU(ordinal int, hyptx string) (*GPU, error) {
	driver, err := cuda.Open("")
	if err != nil {
		return nil, err
	}
	c, err := driver.Context(ordinal)
	if err != nil {
		return nil, err
	}
	g := &GPU{context: c, Subject: &Subject{DeviceInfo: c.Device, Hyptx: hyptx}}
	if chip := g.Subject.Chip(); chip.CC < minCC || chip.SMs < 1 {
		return nil, errors.Join(fmt.Errorf("%s has compute capability %d.%d: benchmarks need 7.0 or later", c.Device.Name, c.Device.Major, c.Device.Minor), c.Close())
	}
	if err := g.openSensors(); err != nil {
		g.Subject.Notes = append(g.Subject.Notes, "no sensors: "+err.Error())
	}
	return g, nil
}

func (g *GPU) openSensors() (err error) {
	if g.library, err = nvml.Open(); err != nil {
		return err
	}
	s := g.Subject
	// NVML counts other GPUs than CUDA (CUDA_VISIBLE_DEVICES): only names tell.
	err = errors.New("the driver gives no UUID")
	if s.UUID != "" {
		g.sensors, err = g.library.ByUUID(s.UUID)
	}
	if err != nil {
		var other error
		if g.sensors, other = g.library.ByPCI(s.PCIBusID); other != nil {
			g.sensors = nil
			return errors.Join(err, other)
		}
	}
	var errs [3]error
	var ecc bool
	s.Driver, errs[0] = g.library.DriverVersion()
	s.LimitW, errs[1] = g.sensors.LimitW()
	if ecc, errs[2] = g.sensors.ECC(); errs[2] == nil {
		s.ECC = &ecc
	}
	reading, err := g.sensors.Read()
	if err != nil {
		g.sensors = nil
		return err
	}
	for i, field := range reading.Absent {
		s.Notes = append(s.Notes, fmt.Sprintf("no %s: %v", field, reading.Why[i]))
	}
	for _, err := range errs {
		if e := (*nvml.Error)(nil); err != nil && (!errors.As(err, &e) || !e.NotSupported()) {
			s.Notes = append(s.Notes, err.Error())
		}
	}
	return nil
}

// Sensors reports whether there are power readings.
func (g *GPU) Sensors() bool { return g.sensors != nil }

// Read implements [Machine].
func (g *GPU) Read() (*nvml.Reading, error) {
	if g.sensors == nil {
		return nil, nil
	}
	r, err := g.sensors.Read()
	return &r, err
}

// LockClock implements [Machine].
func (g *GPU) LockClock(mhz int) error {
	if g.sensors == nil {
		return errors.New("there is no management library")
	}
	if mhz == 0 {
		if !g.locked.Swap(false) {
			return nil
		}
		return g.sensors.UnlockClock()
	}
	err := g.sensors.LockClock(mhz)
	if e := (*nvml.Error)(nil); errors.As(err, &e) && e.NoPermission() {
		return fmt.Errorf("it needs the rights of an administrator: %w", err)
	}
	g.locked.Store(err == nil)
	return err
}

// Close gives the GPU back.
func (g *GPU) Close() error {
	errs := []error{g.LockClock(0), g.context.Close()}
	if g.library != nil {
		errs = append(errs, g.library.Close())
	}
	return errors.Join(errs...)
}

// job is a benchmark's kernel with its buffers on the GPU.
type job struct {
	c         *cuda.Context
	setup     Setup
	module    *cuda.Module
	kernel    *cuda.Function
	out, data cuda.DevicePointer
	timer     *cuda.Timer
}

// Open implements [Machine].
func (g *GPU) Open(s Setup) (Job, error) {
	j := &job{c: g.context, setup: s}
	if err := j.open(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", s.Benchmark, err), j.Close())
	}
	return j, nil
}

func (j *job) open() (err error) {
	b, err := Lookup(j.setup.Benchmark)
	if err != nil {
		return err
	}
	text, err := b.PTX(j.setup.CC)
	if err != nil {
		return err
	}
	if j.module, err = j.c.Load([]byte(text)); err != nil {
		return err
	}
	if j.kernel, err = j.module.Function(mainKernel); err != nil {
		return err
	}
	if j.out, err = j.c.Alloc(uint64(j.setup.outBytes())); err != nil {
		return err
	}
	if j.data, err = j.c.Alloc(uint64(j.setup.dataBytes())); err != nil {
		return err
	}
	if err := j.fill(uint64(j.setup.dataBytes())); err != nil {
		return err
	}
	if j.timer, err = j.c.Timer(); err != nil {
		return err
	}
	return j.prepare()
}

// fill puts random bits into the data, as what moves matters for power: the
// first piece from here, the others as copies.
func (j *job) fill(bytes uint64) error {
	piece := make([]byte, min(bytes, 1<<20))
	rand.NewChaCha8([32]byte{}).Read(piece) // never fails
	if err := j.c.CopyIn(j.data, piece); err != nil {
		return err
	}
	for done := uint64(len(piece)); done < bytes; done *= 2 {
		if err := j.c.CopyDevice(j.data+cuda.DevicePointer(done), j.data, min(done, bytes-done)); err != nil {
			return err
		}
	}
	return nil
}

// prepare makes the ring of pointers.
func (j *job) prepare() error {
	if j.setup.Entries == 0 {
		return nil
	}
	f, err := j.module.Function(prepareKernel)
	if err != nil {
		return err
	}
	l := cuda.Launch{Grid: linear(j.setup.prepareGrid()), Block: linear(prepareBlock), Params: j.setup.prepareParams(uint64(j.data))}
	return errors.Join(f.Launch(l), j.c.Synchronize())
}

func linear(n int) [3]uint32 { return [3]uint32{uint32(n), 1, 1} }

// Run implements [Job].
func (j *job) Run(ctx context.Context, turns, times int) (float64, error) {
	if err := ctx.Err(); err != nil {
		return 0, context.Cause(ctx)
	}
	s := j.setup
	s.Iterations = turns
	l := cuda.Launch{Grid: linear(s.Grid), Block: linear(s.Block), Params: s.params(uint64(j.out), uint64(j.data))}
	return j.timer.Time(func() error {
		for range times {
			if err := j.kernel.Launch(l); err != nil {
				return err
			}
		}
		return nil
	}, synchronize(j.c))
}

// synchronize waits for all that was launched, as [cuda.Timer.Time] asks.
func synchronize(c *cuda.Context) func(*cuda.Event) error {
	return func(*cuda.Event) error { return c.Synchronize() }
}

// Registers implements [Job].
func (j *job) Registers() int {
	n, err := j.kernel.Registers()
	if err != nil {
		return 0 // it is only noted
	}
	return n
}

// UsedSMs implements [Job]: each CTA has stored the number of its SM.
func (j *job) UsedSMs() (int, error) {
	raw := make([]byte, j.setup.outBytes())
	if err := j.c.CopyOut(raw, j.out); err != nil {
		return 0, err
	}
	var sms []uint32
	for i := 0; i < len(raw); i += 4 {
		sms = append(sms, binary.LittleEndian.Uint32(raw[i:]))
	}
	slices.Sort(sms)
	return len(slices.Compact(sms)), nil
}

// Close implements [Job].
func (j *job) Close() error {
	var errs []error
	for _, p := range []cuda.DevicePointer{j.out, j.data} {
		if p != 0 {
			errs = append(errs, j.c.Free(p))
		}
	}
	errs = append(errs, j.timer.Destroy())
	if j.module != nil {
		errs = append(errs, j.module.Unload())
	}
	return errors.Join(errs...)
}
