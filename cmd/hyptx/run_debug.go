package main

import (
	"github.com/spf13/cobra"

	"hyptx/analysis"
	"hyptx/internal/observe"
)

// What run tells of a program while it executes it: steps of threads, writes of elements,
// the first NaN. Standard output gets the text, so that it can be looked through with less
// and grep as it comes; then the outputs go only where -o and --dump say.

// debugFlags are the flags of run that say what is told.
type debugFlags struct {
	request observe.Request
	most    int64
}

// mostThreads is how many threads are followed at most.
const mostThreads = 64

// defaultEvents is how many steps and writes are told: some 10 MB of text.
const defaultEvents = 100_000

// add adds the flags.
func (f *debugFlags) add(c *cobra.Command) {
	fl := c.Flags()
	fl.Func("trace", "tell each step of a thread, `KERNEL[@LAUNCH]:CTA:THREAD`, as gemm:3,0,0:17 or gemm@2:0:5; may be given several times", func(s string) error {
		t, err := observe.ParseThread(s)
		if f.request.Threads = append(f.request.Threads, t); err == nil && len(f.request.Threads) > mostThreads {
			return ownWords("at most 64 threads are followed")
		}
		return err
	})
	fl.Func("watch", "tell each write of elements of a buffer or variable, `BUFFER[i]` or BUFFER[i:j], by whom, and what was there before; may be given several times", func(s string) error {
		e, err := observe.ParseElements(s)
		f.request.Elements = append(f.request.Elements, e)
		return err
	})
	fl.BoolVar(&f.request.FirstNaN, "first-nan", false, "tell which instruction makes the first NaN, and the first infinity, and where its operands come from")
	fl.Int64Var(&f.most, "max-events", defaultEvents, "tell at most this `number` of steps and writes; the run goes on")
	atLeast(c, "max-events", &f.most, 0)
}

// asked reports whether anything is to be told.
func (f *debugFlags) asked() bool {
	return len(f.request.Threads) > 0 || len(f.request.Elements) > 0 || f.request.FirstNaN
}

// refusals are what cannot be.
func (f *runFlags) refusals(given func(string) bool) []refusal {
	return []refusal{
		{f.debug.asked() && f.on == "cuda", "--trace, --watch and --first-nan are for --on emulator"},
		{f.debug.asked() && f.checks.groups != "", "--check runs launches again that --trace, --watch and --first-nan would tell of twice: give it a run of its own"},
		{f.debug.asked() && f.out == "-", "-o -: standard output gets what --trace, --watch and --first-nan tell; name a file"},
		{!f.debug.asked() && given("max-events"), "--max-events is for --trace and --watch"},
	}
}

// into makes a session tell.
func (f *debugFlags) into(a *app, s *analysis.Session) {
	if f.asked() {
		f.request.Log = observe.NewLog(a.stdout, f.most)
		s.Options.Debug = &f.request
	}
}
