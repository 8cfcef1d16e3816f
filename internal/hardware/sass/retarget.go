package sass

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"hyptx/ir/isa"
)

// Compiler is what PTX is compiled for: an architecture and the latest PTX
// version that the compiler (ptxas, or the one in the driver) reads.
type Compiler struct {
	Target isa.Target
	// PTX is major*100+minor.
	PTX int
}

var (
	versionLine = regexp.MustCompile(`(?m)^(\s*\.version\s+)(\d+)\.(\d+)`)
	targetLine  = regexp.MustCompile(`(?m)^(\s*\.target\s+)(sm_\w+)`)
)

// Retarget changes .version and .target of a module where the compiler would
// refuse them: a version that is later than the compiler's, and an
// architecture whose code does not run on the compiler's. what says what they
// became, "" if nothing changed. The instructions stay as they are, and the
// compiler still refuses those that its architecture lacks.
func Retarget(ptx []byte, c Compiler) (changed []byte, what string) {
	text := string(ptx)
	v, t := versionLine.FindStringSubmatch(text), targetLine.FindStringSubmatch(text)
	if v == nil || t == nil {
		return ptx, "" // no module: the compiler says so
	}
	version, target := min(versionNumber(v[2], v[3]), c.PTX), t[2]
	if own, err := isa.ParseTarget([]string{target}); err == nil && !c.Target.Provides(own) {
		target, version = c.Target.String(), max(version, c.Target.MinPTX())
	}
	var said []string
	if target != t[2] {
		text = setFirst(text, targetLine, target)
		said = append(said, target)
	}
	if now := versionText(version); now != v[2]+"."+v[3] {
		text = setFirst(text, versionLine, now)
		said = append(said, "PTX "+now)
	}
	return []byte(text), strings.Join(said, ", ")
}

// setFirst puts words where a pattern's first match has something behind its first
// group. It looks for the place anew, since what was put in before moves it.
func setFirst(text string, line *regexp.Regexp, words string) string {
	at := line.FindStringSubmatchIndex(text)
	return text[:at[3]] + words + text[at[1]:]
}

// versionNumber is a version as this package counts them: major*100+minor of
// numbers that a pattern has matched.
func versionNumber(major, minor string) int {
	m, _ := strconv.Atoi(major)
	n, _ := strconv.Atoi(minor)
	return m*100 + n
}

func versionText(v int) string { return fmt.Sprintf("%d.%d", v/100, v%100) }

// TargetOf is the architecture of a GPU of that compute capability with the
// features that only it has (PTX ISA 11.1.2).
func TargetOf(major, minor int) (isa.Target, error) {
	t := isa.Target{SM: 10*major + minor, Feature: 'a'}
	if t.MinPTX() > 0 {
		return t, nil
	}
	if t.Feature = 0; t.MinPTX() > 0 {
		return t, nil
	}
	return t, fmt.Errorf("compute capability %d.%d: %s is no architecture that hyptx knows", major, minor, t)
}

var currentVersion = regexp.MustCompile(`current version is '(\d+)\.(\d+)'`)

// VersionProbe is a module that every compiler refuses for its version; what
// the refusal says is read by [ReadVersion].
const VersionProbe = ".version 99.9\n.target sm_70\n.address_size 64\n"

// ReadVersion finds in a compiler's refusal the latest PTX version that it
// reads, as major*100+minor.
func ReadVersion(refusal string) (ptx int, ok bool) {
	m := currentVersion.FindStringSubmatch(refusal)
	if m == nil {
		return 0, false
	}
	return versionNumber(m[1], m[2]), true
}

// DriverPTX is the PTX version that came with a CUDA version (12040 for 12.4),
// for drivers whose refusal does not tell: PTX ISA, Release Notes, PTX Release
// History. 0 for versions before 11.0.
func DriverPTX(cuda int) int {
	major, minor := cuda/1000, cuda%1000/10
	switch {
	case major == 12 && minor >= 6: // 12.5 and 12.6 have 8.5
		return 800 + minor - 1
	case major >= 11 && major <= 12:
		return (major-4)*100 + minor
	case major == 13:
		return 900 + minor
	}
	return 0
}
