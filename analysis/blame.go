package analysis

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"hyptx/emulator"
	"hyptx/ir"
)

// "The counts differ" helps nobody: a launch has millions of warps and hundreds of
// blocks. Blame finds the place. Everything is deterministic, so the program can be run
// again, in full and in the chosen mode, with all warps of the launch and nothing
// standing for anything. First each warp is reduced to a hash of its block counts,
// which fits in memory for any launch; the first warp whose hashes differ is run a
// third and fourth time, keeping its counts, and the first block among them is named.
//
// Where all hashes agree the slice is right, and what stood for others did not.
//
// warpKey is a warp of a launch.
type warpKey struct {
	cta  int64
	warp int
}

// blame adds to a mismatch the first warp, in the order of CTAs, whose counts
// differ, and the first block in which they do. It runs the program again in
// both ways, up to the launch in question, which it runs whole.
func (s *Session) blame(ctx context.Context, mismatch *mismatchError, lp *LaunchProfile) error {
	want, got, err := s.warpHashes(ctx, lp, nil)
	if err != nil {
		return errors.Join(mismatch, err)
	}
	first := warpKey{cta: -1}
	for key, h := range want.hashes {
		if got.hashes[key] != h && (first.cta < 0 || key.cta < first.cta || key.cta == first.cta && key.warp < first.warp) {
			first = key
		}
	}
	if first.cta < 0 {
		mismatch.What += "; every warp agrees when all are run, so one that stands for others does not"
		return mismatch
	}
	if want, got, err = s.warpHashes(ctx, lp, &first); err != nil {
		return errors.Join(mismatch, err)
	}
	mismatch.What = fmt.Sprintf("CTA %d, warp %d: %s", first.cta, first.warp, firstBlock(lp, got.counts, want.counts))
	return mismatch
}

// firstBlock describes the first block in which a warp's counts differ.
func firstBlock(lp *LaunchProfile, got, want []uint64) string {
	what := "its branches or guards differ, but not how often it entered each block"
	found := false
	i := 0
	lp.outcome.parts[0].prog.Blocks(want, func(pc ir.PC, issues, lanes uint64) {
		if !found && (got[i] != issues || got[i+1] != lanes) {
			found = true
			in := &lp.Kernel.Module.Instrs[pc]
			what = fmt.Sprintf("block %d (%s:%d) is entered %d times with %d lanes, in full emulation %d times with %d",
				in.Block, lp.fileOf(in.PC), in.Pos.Line, got[i], got[i+1], issues, lanes)
		}
		i += 2
	})
	return what
}

// warpCounts are hashes of the block counts of all warps of a launch, and the
// counts themselves of one of them.
type warpCounts struct {
	hashes map[warpKey]uint64
	counts []uint64
}

// warpHashes runs the program up to a launch in full, and once more in the
// session's mode, keeping the counts of one warp if it is named.
func (s *Session) warpHashes(ctx context.Context, lp *LaunchProfile, one *warpKey) (full, ours *warpCounts, err error) {
	if full, err = s.warpCounts(ctx, Full, lp.plan.index, one); err != nil {
		return nil, nil, err
	}
	ours, err = s.warpCounts(ctx, s.Options.Mode, lp.plan.index, one)
	return full, ours, err
}

// warpCounts runs the program in a mode up to a launch, which it runs whole, on one
// core: the order in which warps are heard of is that of the schedule.
func (s *Session) warpCounts(ctx context.Context, mode Mode, launch int, one *warpKey) (*warpCounts, error) {
	opts := s.Options
	opts.Mode, opts.Jobs, opts.Verify, opts.Progress = mode, 1, false, nil
	again, err := newSession(s.Manifest, s.modules, opts)
	if err != nil {
		return nil, err
	}
	again.whole = true
	of := &warpCounts{hashes: map[warpKey]uint64{}}
	filters := again.plan(nil)
	for next := 0; ; {
		l, err := again.nextLaunch(ctx, &next)
		if err != nil {
			return nil, err
		}
		if l.index == launch {
			again.onWarp = func(cta int64, warp int, c []uint64) {
				key, counts := warpKey{cta, warp}, c[:2*again.segments]
				of.hashes[key] = of.hashes[key]*31 + emulator.HashCounts(counts)
				if one != nil && *one == key {
					of.counts = slices.Clone(counts)
				}
			}
		}
		if _, err := again.runLaunch(ctx, l, filters[l.index], nil); err != nil || l.index == launch {
			return of, err
		}
	}
}
