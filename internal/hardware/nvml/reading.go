package nvml

import (
	"errors"
	"slices"
)

// Reading is what the sensors say at one moment. A number that the board does
// not give is 0 and stands in Absent.
type Reading struct {
	PowerW       float64 `json:"power_w"`       // of the whole board
	EnergyJ      float64 `json:"energy_j"`      // since the driver was loaded (Volta and later)
	TemperatureC float64 `json:"temperature_c"` // of the chip
	SMClockMHz   float64 `json:"sm_clock_mhz"`
	MemClockMHz  float64 `json:"mem_clock_mhz"`
	Throttle     Reasons `json:"throttle"`
	// Absent names the fields that the board does not give.
	Absent []string `json:"absent,omitempty"`
	// Why are the library's words for them, in the same order.
	Why []error `json:"-"`
}

// Has reports whether the board gives a field, by its JSON name.
func (r Reading) Has(field string) bool {
	return !slices.Contains(r.Absent, field)
}

// WhyAbsent is what the library says of a field that the board does not give; nil
// of one that it gives, or where that is not known any more.
func (r Reading) WhyAbsent(field string) error {
	if i := slices.Index(r.Absent, field); i >= 0 && i < len(r.Why) {
		return r.Why[i]
	}
	return nil
}

// Read reads the sensors. What the board does not support, or this user may not
// see, is absent; anything else that goes wrong is an error.
func (d *Device) Read() (Reading, error) {
	var r Reading
	var mw, celsius, sm, mem uint32
	var mj, why uint64
	for _, f := range []struct {
		field, call string
		code        int32
		forget      func()
	}{
		{"power_w", "nvmlDeviceGetPowerUsage", d.l.power(d.h, &mw), func() { mw = 0 }},
		{"energy_j", "nvmlDeviceGetTotalEnergyConsumption", d.l.energy(d.h, &mj), func() { mj = 0 }},
		{"temperature_c", "nvmlDeviceGetTemperature", d.l.temperature(d.h, sensorGPU, &celsius), func() { celsius = 0 }},
		{"sm_clock_mhz", "nvmlDeviceGetClockInfo", d.l.clock(d.h, clockSM, &sm), func() { sm = 0 }},
		{"mem_clock_mhz", "nvmlDeviceGetClockInfo", d.l.clock(d.h, clockMemory, &mem), func() { mem = 0 }},
		{"throttle", "nvmlDeviceGetCurrentClocksEventReasons", d.reasons(&why), func() { why = 0 }},
	} {
		err := d.l.check(f.call, f.code)
		if e := (*Error)(nil); errors.As(err, &e) && e.Absent() {
			f.forget() // a call that fails may have written something
			r.Absent, r.Why = append(r.Absent, f.field), append(r.Why, err)
		} else if err != nil {
			return r, err
		}
	}
	r.PowerW, r.EnergyJ, r.TemperatureC = float64(mw)/1e3, float64(mj)/1e3, float64(celsius)
	r.SMClockMHz, r.MemClockMHz, r.Throttle = float64(sm), float64(mem), Reasons(why)
	return r, nil
}

// reasons asks by the call's new name (CUDA 12.2), else by the old one.
func (d *Device) reasons(why *uint64) int32 {
	if code := d.l.event(d.h, why); code != codeNotSupported {
		return code
	}
	return d.l.throttle(d.h, why)
}
