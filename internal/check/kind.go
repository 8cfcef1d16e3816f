package check

import (
	"fmt"
	"slices"
	"strings"
)

// Kind is what was found.
type Kind string

// The kinds. Their words stand in reports and in files of suppressions.
const (
	OutOfBounds     Kind = "out-of-bounds"
	Misaligned      Kind = "misaligned"
	UseAfterFree    Kind = "use-after-free"
	BadFree         Kind = "bad-free"
	Leak            Kind = "leak"
	AbsentCTA       Kind = "absent-cta"
	LocalOfAnother  Kind = "local-of-another"
	UnwrittenMemory Kind = "unwritten-memory"
	UnwrittenValue  Kind = "unwritten-register"
	Race            Kind = "data-race"
	BenignRace      Kind = "benign-race"
	Volatile        Kind = "unordered-volatile"
	ProxyRace       Kind = "no-proxy-fence"
	Unfinished      Kind = "unfinished"
	DivergentBar    Kind = "divergent-barrier"
	MixedBar        Kind = "mixed-barrier"
	Membermask      Kind = "membermask"
	AbsentLane      Kind = "absent-lane"
	NotTogether     Kind = "not-together"
	Deadlock        Kind = "deadlock"
	Failed          Kind = "failed"
)

// Group is what --check selects.
type Group string

// The groups.
const (
	Memory Group = "memory"
	Init   Group = "init"
	Races  Group = "race"
	Sync   Group = "sync"
)

// AllGroups are those that there are, in the order of reports.
var AllGroups = []Group{Memory, Init, Races, Sync}

// kinds says of each kind its group and what it is in a few words, in the order of reports.
var kinds = []struct {
	kind  Kind
	group Group
	title string
}{
	{OutOfBounds, Memory, "access beyond memory"},
	{Misaligned, Memory, "misaligned access"},
	{UseAfterFree, Memory, "access to memory that was freed"},
	{BadFree, Memory, "free of what malloc has not given"},
	{Leak, Memory, "device memory that nobody freed"},
	{AbsentCTA, Memory, "shared memory of a CTA that may be gone"},
	{LocalOfAnother, Memory, "local memory of another thread"},
	{UnwrittenMemory, Init, "read of memory that nobody has written"},
	{UnwrittenValue, Init, "read of a register that nobody has written"},
	{Race, Races, "data race"},
	{Volatile, Races, "volatile accesses that nothing puts in order"},
	{BenignRace, Races, "data race that changes no result"},
	{ProxyRace, Races, "no fence between proxies"},
	{Unfinished, Races, "result that nobody has waited for"},
	{DivergentBar, Sync, "barrier that a part of a warp executes"},
	{MixedBar, Sync, "barrier where threads meet that should not"},
	{Membermask, Sync, "member mask without its own lane"},
	{AbsentLane, Sync, "lane that takes no part"},
	{NotTogether, Sync, "threads missing from what all execute together"},
	{Deadlock, Sync, "threads that wait for ever"},
	{Failed, Memory, "launch that failed"},
}

// Kinds returns all kinds in the order of reports.
func Kinds() (list []Kind) {
	for _, k := range kinds {
		list = append(list, k.kind)
	}
	return list
}

// place is where a kind stands in reports.
func (k Kind) place() int {
	for i := range kinds {
		if kinds[i].kind == k {
			return i
		}
	}
	return len(kinds)
}

// Group returns the group of a kind.
func (k Kind) Group() Group {
	if i := k.place(); i < len(kinds) {
		return kinds[i].group
	}
	return ""
}

// Title says in a few words what a kind is.
func (k Kind) Title() string {
	if i := k.place(); i < len(kinds) {
		return kinds[i].title
	}
	return string(k)
}

// Groups are the groups that somebody wants to hear of.
type Groups []Group

// Has reports whether a group was chosen.
func (g Groups) Has(group Group) bool { return slices.Contains(g, group) }

// ParseGroups reads "memory,race"; "all" are all.
func ParseGroups(text string) (Groups, error) {
	if text == "all" {
		return slices.Clone(AllGroups), nil
	}
	var list Groups
	for word := range strings.SplitSeq(text, ",") {
		group := Group(strings.TrimSpace(word))
		if !slices.Contains(AllGroups, group) {
			return nil, fmt.Errorf("%q: must be some of memory, init, race and sync, or all", word)
		}
		list = append(list, group)
	}
	return list, nil
}
