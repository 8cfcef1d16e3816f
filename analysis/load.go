package analysis

import (
	"runtime"
	"sync"

	"hyptx/internal/source"
	"hyptx/ir"
)

// Reading and lowering PTX is most of what a small profile takes, and a network has a
// dozen files: they are read at the same time. The results stand in the order of the
// files whatever the order of the work, and so do errors: all of them, so that a user
// with three broken files hears of three.

// loadAll loads PTX files on several cores and returns the modules and their
// texts in their order. All errors are reported, in the files' order. A panic in
// one of the workers would end the program before anybody could report it: it is
// carried over to the caller's goroutine.
func loadAll(paths []string, opts *Options) ([]*ir.Module, []source.File, []error) {
	mods := make([]*ir.Module, len(paths))
	sources := make([]source.File, len(paths))
	errs := make([]error, len(paths))
	faults := make([]any, len(paths))
	var wg sync.WaitGroup
	slots := make(chan struct{}, max(1, min(opts.Jobs, runtime.GOMAXPROCS(0))))
	for i, p := range paths {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { faults[i] = recover(); <-slots }()
			src, err := source.Read(p, nil)
			if src.Lenient = opts.Lenient != nil; err == nil {
				sources[i] = src
				if mods[i], err = src.Only(); mods[i] != nil {
					err = nil // the kernels that are refused say so where they are launched
				}
			}
			errs[i] = err
		})
	}
	wg.Wait()
	for _, f := range faults {
		if f != nil {
			panic(f) // where the caller can report it
		}
	}
	opts.warn(mods)
	return mods, sources, errs
}
