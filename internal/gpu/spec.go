package gpu

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// What would a GV100 with twice the SMs do? The question is asked too often to write
// a file for it: gv100:sms=160,clock=1380 is that GPU. What is not named stays as it
// is; more SMs get no more L2, network or DRAM, because nobody can say how much.

// key is a short name of a number that a spec can change.
type key struct{ name, path, about string }

var keys = []key{
	{"sms", "sms", "SMs"},
	{"clock", "clock.boost_mhz", "clock of the SMs in MHz; latencies of the DRAM stay in ns"},
	{"bandwidth", "dram.bandwidth_gb_per_s", "of the DRAM in GB/s"},
	{"mem_clock", "dram.clock_mhz", "clock of the DRAM in MHz; its bandwidth changes alike"},
	{"l2", "l2.bytes", "bytes of L2, as 12M"},
	{"tdp", "power.tdp_w", "power limit in W"},
	{"idle", "power.idle_w", "idle power in W"},
}

// Keys says what a spec can change, for help.
func Keys() string {
	var list []string
	for _, k := range keys {
		list = append(list, k.name+" ("+k.about+")")
	}
	return strings.Join(list, ", ")
}

// Specs puts together what a comma list has torn apart: of gv100:sms=160,clock=1380
// and a100 the first two items are one GPU.
func Specs(items []string) []string {
	var list []string
	for _, item := range items {
		item = strings.TrimSpace(item)
		name, _, change := strings.Cut(item, "=")
		if n := len(list); change && n > 0 && !strings.ContainsAny(name, ":/\\") && !isList(item) && strings.Contains(list[n-1], ":") {
			list[n-1] += "," + item
		} else {
			list = append(list, item)
		}
	}
	return list
}

// WithClock returns specs of the same GPUs at a clock of their SMs in MHz.
func WithClock(items []string, mhz float64) []string {
	list := Specs(items)
	for i, spec := range list {
		before := ":"
		if _, changes := Base(spec); changes != "" {
			before = ","
		}
		list[i] += before + "clock=" + strconv.FormatFloat(mhz, 'f', -1, 64)
	}
	return list
}

func isList(name string) bool {
	return IsFile(name) || strings.HasSuffix(strings.ToLower(name), ".csv")
}

// Base returns the name or file that a spec starts from; changes is "" if it has none.
func Base(spec string) (name, changes string) {
	i := strings.LastIndexByte(spec, ':')
	if i < 0 || isList(spec) || !strings.Contains(spec[i:], "=") {
		return spec, ""
	}
	return strings.TrimSpace(spec[:i]), spec[i+1:]
}

// Like returns a copy of a GPU with numbers changed: key=value, where the key is one
// of [Keys] or a field's path, as latency.l2_cycles or timing.lsu.hit_cycles. What was
// measured of the whole GPU, and the vendor's peak figures, are not those of the copy.
func (g *GPU) Like(changes []string, source string) (*GPU, error) {
	text, err := json.Marshal(g)
	if err != nil {
		return nil, err
	}
	file := map[string]any{}
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, err
	}
	given := map[string]bool{}
	for _, c := range changes {
		name, value, ok := strings.Cut(c, "=")
		if !ok {
			return nil, &SpecError{fmt.Sprintf("%q must be KEY=VALUE, as sms=160", c)}
		}
		name = strings.TrimSpace(name)
		path := pathOf(name)
		if given[path] {
			return nil, &SpecError{fmt.Sprintf("GPU %s: %s is given twice", g.Name, name)}
		}
		given[path] = true
		if err := g.change(file, name, strings.TrimSpace(value), source); err != nil {
			return nil, err
		}
	}
	if text, err = json.Marshal(file); err != nil {
		return nil, err
	}
	mine, err := Read(g.Label()+" with "+strings.Join(changes, ","), text)
	if err == nil {
		mine.File = g.File
	}
	return mine, err
}

// SpecError is that of changes that cannot be made.
type SpecError struct{ text string }

func (e *SpecError) Error() string { return e.text }

// pathOf is where a file has what a key changes.
func pathOf(name string) string {
	if i := slices.IndexFunc(keys, func(k key) bool { return k.name == name }); i >= 0 {
		return keys[i].path
	}
	return name
}

// change sets a number of a file, and what follows from it.
func (g *GPU) change(file map[string]any, name, value, source string) error {
	path := pathOf(name)
	if !g.hasPath(path) {
		// `hyptx gpus` shows the numbers of a simulation without it.
		if g.hasPath("timing." + path) {
			return &SpecError{fmt.Sprintf("GPU %s: unknown key %q; did you mean timing.%s?", g.Name, name, path)}
		}
		return &SpecError{fmt.Sprintf("GPU %s: unknown key %q; known are %s, and paths that `hyptx gpus %s` shows, as latency.l2_cycles=200", g.Name, name, Keys(), g.Name)}
	}
	if value == "" {
		return &SpecError{fmt.Sprintf("GPU %s: %s has no value", g.Name, name)}
	}
	v := parseValue(value)
	number, isNumber := v.(float64)
	if isNumber && (math.IsNaN(number) || math.IsInf(number, 0)) { // which JSON has no word for
		return &SpecError{fmt.Sprintf("GPU %s: %s is %.30q: must be a finite number", g.Name, name, value)}
	}
	set(file, path, v, source)
	switch {
	case !isNumber:
	case path == "sms":
		g.forgetWhole(file)
	case path == "clock.boost_mhz":
		g.forgetWhole(file)
		g.changeClock(file, number, source)
	case path == "dram.clock_mhz" && g.DRAM.ClockMHz != nil:
		g.scale(file, "dram.bandwidth_gb_per_s", g.DRAM.BandwidthGBPerS, number/g.DRAM.ClockMHz.Value, source)
		g.scale(file, "measured.b_mem_gb_per_s", g.Measured.BMemGBPerS, number/g.DRAM.ClockMHz.Value, source)
	case path == "dram.bandwidth_gb_per_s" && g.DRAM.BandwidthGBPerS != nil:
		g.scale(file, "measured.b_mem_gb_per_s", g.Measured.BMemGBPerS, number/g.DRAM.BandwidthGBPerS.Value, source)
	}
	return nil
}

// hasPath reports whether a GPU's file can have a number there.
func (g *GPU) hasPath(path string) bool {
	if of, ok := strings.CutPrefix(path, "timing."); ok {
		return slices.ContainsFunc((&Timing{}).places(), func(p place) bool { return p.path == of })
	}
	return slices.ContainsFunc(g.Fields(), func(f Field) bool { return f.Path == path })
}

// forgetWhole drops what holds of another number of SMs or another clock alone.
func (g *GPU) forgetWhole(file map[string]any) {
	for _, f := range g.Fields() {
		if rate := strings.HasPrefix(f.Path, "measured.t_"); rate || strings.HasPrefix(f.Path, "peak.") {
			drop(file, f.Path)
		}
	}
}

// changeClock moves the other clocks out of the way, and keeps what the DRAM adds to
// the latency of the L2 in ns: its clock is another one.
func (g *GPU) changeClock(file map[string]any, mhz float64, source string) {
	if c := g.Clock.BaseMHz; c != nil && c.Value > mhz {
		set(file, "clock.base_mhz", mhz, source)
	}
	if c := g.Clock.MinMHz; c != nil && c.Value > mhz {
		set(file, "clock.min_mhz", mhz, source)
	}
	if c := g.Clock.MaxMHz; c != nil && c.Value < mhz {
		set(file, "clock.max_mhz", mhz, source)
	}
	if f := g.dramCyclesAt(mhz, source); f != nil {
		set(file, "latency.dram_cycles", f.Value, f.Source)
	}
}

// scale changes a number along with another.
func (g *GPU) scale(file map[string]any, path string, f *Float, by float64, source string) {
	if f != nil {
		set(file, path, f.Value*by, f.Source+"; "+source)
	}
}

// set puts a fact into a file.
func set(file map[string]any, path string, value any, source string) {
	at := file
	names := strings.Split(path, ".")
	for _, n := range names[:len(names)-1] {
		inner, ok := at[n].(map[string]any)
		if !ok {
			inner = map[string]any{}
			at[n] = inner
		}
		at = inner
	}
	at[names[len(names)-1]] = map[string]any{"value": value, "source": clipped(source)}
}

// clipped is a source that a file can have.
func clipped(s string) string { return strings.ToValidUTF8(s[:min(len(s), maxText)], "") }

func drop(file map[string]any, path string) {
	group, name, _ := strings.Cut(path, ".")
	if at, ok := file[group].(map[string]any); ok {
		at[name] = nil
	}
}

// parseValue reads a number, with K, M or G for powers of 1024; true and false; or a word.
func parseValue(s string) any {
	if s == "true" || s == "false" {
		return s == "true"
	}
	digits, unit := s, 1.0
	if i := strings.IndexByte("KMG", s[len(s)-1]); i >= 0 {
		digits, unit = s[:len(s)-1], float64(int(1)<<(10*(i+1)))
	}
	if v, err := strconv.ParseFloat(digits, 64); err == nil {
		return v * unit
	}
	return s
}
