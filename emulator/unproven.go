package emulator

import (
	"strings"

	"hyptx/ir/isa"
)

// unproven are the forms that are executed, but whose results no test holds
// against a reference of its own in every spelling (spelling_test.go does for all
// others): prefixes of their syntax, with the reason. The programs of
// ptx-samples/features that show them are proof of single spellings.
var unproven = []struct{ prefix, reason string }{
	{"st{.weak}.ss", "parameters of functions: the tests of calls pass them"},
	{"isspacep.", ownWindows},
	{"cvta.", ownWindows},
	{"mapa{", "launches have no clusters: the address stays"},
	{"getctarank{", "launches have no clusters: the rank is opaque"},
	{"prefetch", noResult},
	{"applypriority", noResult},
	{"discard", noResult},
	{"createpolicy", "policies are opaque"},
	{"cp.async.c", "asynchronous copies and the wait for them: the programs alone"},
	{"cp.async.w", "asynchronous copies and the wait for them: the programs alone"},
	{"cp.async.m", barrierObject},
	{"bra{", randomPrograms},
	{"brx.idx{", randomPrograms},
	{"call{", randomPrograms},
	{"ret{", randomPrograms},
	{"exit", randomPrograms},
	{"brkpt", noResult},
	{"trap", "ends the launch with an error: the programs alone"},
	{"bar{.cta}.sync", noResult},
	{"bar{.cta}.arrive", noResult},
	{"barrier{.cta}.sync", noResult},
	{"barrier{.cta}.arrive", noResult},
	{"bar.warp.sync", noResult},
	{"membar", noResult},
	{"fence", noResult},
	{"griddepcontrol", noResult},
	{"nanosleep", noResult},
	{"mbarrier", barrierObject},
	{"mma.sync.aligned.m8n8k4.alayout", "the fragments of quarters of a warp are held against the manual's layouts in the tests of the lanes"},
	{"pmevent", noResult},
	{"setmaxnreg", noResult},
}

const (
	noResult       = "has no result that a reference could give"
	ownWindows     = "where the windows of spaces lie is this machine's own"
	randomPrograms = "control flow: the oracle runs random programs, which do not spell .uni"
	barrierObject  = "what an mbarrier holds is this machine's own"
)

// Unproven returns why no reference holds for a form, "" if one does.
func Unproven(f *isa.Form) string {
	for _, u := range unproven {
		if strings.HasPrefix(f.Syntax, u.prefix) {
			return u.reason
		}
	}
	return ""
}
