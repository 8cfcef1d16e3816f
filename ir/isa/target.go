package isa

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Target is the architecture that .target names (PTX ISA 11.1.2).
type Target struct {
	// SM is the architecture's number, 70 for sm_70; compute_70 is the same.
	SM int
	// Feature is 'a' for an architecture-specific target (sm_90a), 'f' for a
	// family-specific one (sm_100f), 0 otherwise.
	Feature byte
	// mapF64: .f64 instructions execute as .f32 (map_f64_to_f32), so that targets
	// without double precision have them.
	mapF64 bool
}

// targetPTX is the first PTX version of each architecture (PTX ISA 11.1.2,
// Release Notes).
var targetPTX = map[string]int{
	"10": 100, "11": 100, "12": 102, "13": 102, "20": 200, "21": 200, "30": 300, "35": 301,
	"32": 400, "50": 400, "37": 401, "52": 401, "53": 402, "60": 500, "61": 500, "62": 500,
	"70": 600, "72": 601, "75": 603, "80": 700, "86": 701, "87": 704, "88": 900, "89": 708,
	"90": 708, "90a": 800, "100": 806, "100a": 806, "101": 806, "101a": 806, "120": 807, "120a": 807,
	"100f": 808, "101f": 808, "103": 808, "103f": 808, "103a": 808, "120f": 808, "121": 808, "121f": 808,
	"121a": 808, "110": 900, "110f": 900, "110a": 900, "107": 904, "107f": 904, "107a": 904,
}

// ParseTarget returns what the names of a module's .target directives say: an
// architecture and any options. Of several architectures the highest counts: there
// may be several directives, and code of all of them runs where the highest does (PTX
// ISA 11.1.2). The target is of use beside an error that names an architecture which
// is no GPU's, as sm_22.
func ParseTarget(names []string) (Target, error) {
	var t Target
	var unknown error
	for _, name := range names {
		switch name {
		case "texmode_unified", "texmode_independent", "debug":
			// How textures find their samplers, and that there is DWARF: nothing here
			// depends on it.
		case "map_f64_to_f32":
			t.mapF64 = true
		default:
			sm, feature, err := parseArchitecture(name)
			if err != nil && unknown == nil {
				unknown = err
			}
			if sm > t.SM || sm == t.SM && t.Feature == 0 {
				t.SM, t.Feature = sm, feature
			}
		}
	}
	if t.SM == 0 && unknown == nil {
		unknown = fmt.Errorf("no architecture is named; sm_70 or the like is expected")
	}
	return t, unknown
}

// parseArchitecture splits "sm_90a". Beside the error for an architecture that is no
// GPU's stands the number in its name.
func parseArchitecture(name string) (sm int, feature byte, err error) {
	arch, ok := strings.CutPrefix(name, "sm_")
	if !ok {
		arch, ok = strings.CutPrefix(name, "compute_")
	}
	if _, known := targetPTX[arch]; !ok || !known {
		err = fmt.Errorf("unknown target %q; sm_10 to sm_121a are known", name)
	}
	digits := strings.TrimRight(arch, "af")
	if !ok || len(arch)-len(digits) > 1 {
		return 0, 0, err
	}
	if len(digits) < len(arch) {
		feature = arch[len(arch)-1]
	}
	sm, bad := strconv.Atoi(digits)
	if bad != nil || sm < 10 || sm > 9999 {
		return 0, 0, err
	}
	return sm, feature, err
}

// NewestTarget returns the newest plain architecture that a PTX version has.
func NewestTarget(ptx int) (t Target) {
	for arch, since := range targetPTX {
		if sm, err := strconv.Atoi(arch); err == nil && since <= ptx && sm > t.SM {
			t.SM = sm
		}
	}
	return t
}

// String returns the architecture, as "sm_90a".
func (t Target) String() string {
	if t.Feature == 0 {
		return "sm_" + strconv.Itoa(t.SM)
	}
	return "sm_" + strconv.Itoa(t.SM) + string(t.Feature)
}

// MinPTX returns the first PTX version that knows the target, as
// major*100+minor; 0 for the zero Target.
func (t Target) MinPTX() int { return targetPTX[strings.TrimPrefix(t.String(), "sm_")] }

// MapsF64 reports whether .f64 instructions execute as .f32: map_f64_to_f32 on a
// target that has no double precision.
func (t Target) MapsF64() bool { return t.mapF64 && t.SM < doublePrecision }

// Provides reports whether code that needs the target need may be compiled for
// t: a plain target's features stay in all later ones, those of sm_90a are in
// sm_90a alone, those of sm_100f in the later members of its family (PTX ISA
// 11.1.2).
func (t Target) Provides(need Target) bool {
	switch need.Feature {
	case 'a':
		return t.SM == need.SM && t.Feature == 'a'
	case 'f':
		return t.SM/10 == need.SM/10 && t.SM >= need.SM && t.Feature != 0
	}
	return t.SM >= need.SM
}

// doublePrecision is the first architecture that has .f64 instructions (PTX ISA 5.2.1).
const doublePrecision = 13

// requirement is what a form or a modifier needs.
type requirement struct {
	// PTX is the first PTX version, as major*100+minor; 0 for any.
	PTX int
	// Targets are the alternatives of which one must be provided; none for any.
	Targets []Target
	// beyond: the manual does not have it, but ptxas takes it.
	beyond bool
}

// ErrBeyond is said of what ptxas takes and the manual does not have.
var ErrBeyond = errors.New("is not in PTX ISA 9.4, though ptxas 13.0 takes it")

// check returns an error that says what is missing for the PTX version and
// target of a module; nil if nothing is. The PTX version stands for the
// whole file and may be later than the target's first.
func (r requirement) check(ptx int, t Target) error {
	if r.beyond {
		return ErrBeyond
	}
	var needs, has []string
	if ptx < r.PTX {
		needs, has = []string{"PTX " + version(r.PTX)}, []string{version(ptx)}
	}
	if len(r.Targets) > 0 && !slices.ContainsFunc(r.Targets, t.Provides) {
		names := make([]string, len(r.Targets))
		for i, need := range r.Targets {
			names[i] = need.String()
		}
		needs, has = append(needs, "target "+strings.Join(names, " or ")), append(has, t.String())
	}
	if needs == nil {
		return nil
	}
	return fmt.Errorf("needs %s, the module has %s", strings.Join(needs, " and "), strings.Join(has, " and "))
}

// minSM returns the lowest architecture that the requirement allows.
func (r requirement) minSM() int {
	if len(r.Targets) == 0 {
		return 0
	}
	return slices.MinFunc(r.Targets, func(a, b Target) int { return a.SM - b.SM }).SM
}

func version(ptx int) string { return fmt.Sprintf("%d.%d", ptx/100, ptx%100) }
