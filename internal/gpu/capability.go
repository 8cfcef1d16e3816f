package gpu

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"hyptx/internal/strictjson"
)

// What all chips of a compute capability have in common, and what memories of a
// type: a file for each.
//
//go:embed capability/*.json memory/*.json
var defaultFiles embed.FS

// defaults are what is known of timing where a GPU's file does not say it.
type defaults struct {
	name  string // "7.0", "GDDR6"
	like  string // whose facts stand where these lack some; "" for none
	facts Given
}

var (
	capabilities = sync.OnceValue(func() map[string]*defaults { return readDefaults("capability") })
	memories     = sync.OnceValue(func() map[string]*defaults { return readDefaults("memory") })
)

func readDefaults(folder string) map[string]*defaults {
	entries, err := defaultFiles.ReadDir(folder)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	all := map[string]*defaults{}
	for _, e := range entries {
		text, err := defaultFiles.ReadFile(folder + "/" + e.Name())
		if err != nil {
			panic("BUG: " + err.Error())
		}
		d, err := parseDefaults(e.Name(), text)
		if err != nil {
			panic("BUG: " + err.Error())
		}
		all[d.name] = d
	}
	return all
}

// parseDefaults reads {"name": ..., "like": ..., "timing": {...}}.
func parseDefaults(file string, text []byte) (*defaults, error) {
	r := &reader{strictjson.List{File: file}, text}
	d := &defaults{}
	if n := strictjson.Parse(text, limits, &r.List); n != nil {
		if o, ok := strictjson.NewObject(&r.List, n, "", "name", "like", "timing"); ok {
			d.name, d.like = o.String("name"), o.String("like")
			if t := o.Need("timing"); t != nil {
				d.facts = r.given(t, "timing")
			}
		}
	}
	return d, r.Err()
}

// defaultsOf returns the defaults of a compute capability: its own first, then
// those that they are like. Of one that has none, those of the nearest lower stand
// in; below the lowest there are none.
func defaultsOf(capability string) ([]*defaults, error) {
	all := capabilities()
	names := slices.SortedFunc(maps.Keys(all), func(a, b string) int { return capabilityNumber(a) - capabilityNumber(b) })
	name, wanted := "", capabilityNumber(capability)
	for _, n := range names {
		if capabilityNumber(n) <= wanted {
			name = n
		}
	}
	if name == "" {
		return nil, fmt.Errorf("nothing is known of the timing of compute capability %s (known are %s and what is above)", capability, names[0])
	}
	var list []*defaults
	for ; name != ""; name = all[name].like {
		list = append(list, all[name])
	}
	return list, nil
}

// capabilityNumber makes compute capabilities comparable: 806 of "8.6"; -1 of what
// is none.
func capabilityNumber(s string) int {
	major, minor, _ := strings.Cut(s, ".")
	a, errA := strconv.Atoi(major)
	b, errB := strconv.Atoi(minor)
	if errA != nil || errB != nil {
		return -1
	}
	return 100*a + b
}

// isCapability reports whether a text is a compute capability as NVIDIA writes them: two numbers
// from 1.0 on, the second of one digit.
func isCapability(s string) bool {
	n := capabilityNumber(s)
	major, minor := n/100, n%100
	return major >= 1 && major <= 99 && minor <= 9 && s == fmt.Sprintf("%d.%d", major, minor)
}
