package roofline

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"

	"hyptx/analysis"
	"hyptx/internal/gpu"
	"hyptx/internal/textfile"
)

// maxFileBytes bounds a GPU CSV; the toolkit writes 100 bytes a GPU.
const maxFileBytes = 1 << 20

// Devices returns the GPUs of names: gpu's, files of its form (*.json), or the
// toolkit's CSV, which may hold several. All errors are told at once.
func Devices(names []string) ([]*Device, error) {
	var out []*Device
	var errs []error
	seen := map[string]bool{}
	for _, name := range gpu.Specs(names) {
		list, err := devicesOf(name)
		errs = append(errs, err)
		for _, d := range list {
			if seen[d.Name] {
				errs = append(errs, gpu.Twice(d.Name, name))
			}
			seen[d.Name] = true
			out = append(out, d)
		}
	}
	return out, errors.Join(errs...)
}

func devicesOf(name string) ([]*Device, error) {
	if strings.HasSuffix(strings.ToLower(name), ".csv") {
		_, text, err := textfile.Read(name, nil, maxFileBytes)
		if err != nil {
			return nil, fmt.Errorf("cannot read the GPUs' file: %w", err)
		}
		return ReadToolkitGPUs(name, text)
	}
	g, err := gpu.Get(name)
	if err != nil {
		return nil, err
	}
	d, err := NewDevice(g)
	if err != nil {
		return nil, err
	}
	return []*Device{d}, nil
}

// FromProfile returns the launches of a profile, with their longest warps'
// paths.
func FromProfile(p *analysis.Profile, c Counting) ([]*Launch, error) {
	var out []*Launch
	cache := &SSACache{}
	for _, lp := range p.Launches {
		l, err := NewLaunch(&lp.Launch, &lp.Facts, c)
		if err != nil {
			return nil, err
		}
		l.Simulated = lp.Simulated
		if path := PathOf(lp, c, cache); path != nil {
			if l.Chain = path.Chain; c == Machine && lp.Lone != nil {
				l.Lone, l.Longer = lp.Lone, path.longer(lp.Lone)
			}
			l.Lengths = path.lengths(lp.Lengths, math.Ceil(l.BlockThreads/32), l.Lone)
		}
		out = append(out, l)
	}
	return out, nil
}

// ReadMeasured reads what a profiler counted: the CSV of nvprof or ncu, or the
// toolkit's JSON. name is the file's, for errors.
func ReadMeasured(name string, text []byte) ([]*Launch, error) {
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return ReadToolkit(name, text)
	}
	return ReadCounters(name, text)
}
