package analysis

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"hyptx/emulator"
	"hyptx/ir"
)

// warpKey is a warp of a launch.
type warpKey struct {
	cta  int64
	warp int
}

// blame adds to a mismatch the first warp, in the order of CTAs, whose counts
// differ, and the first block in which they do. It runs the program again in
// both ways, up to the launch in question, which it runs whole.
func (s *Session) blame(ctx context.Context, mismatch *MismatchError, lp *LaunchProfile) error {
	want, _, err := s.warpHashes(ctx, Full, lp.plan.index, nil)
	if err != nil {
		return errors.Join(mismatch, err)
	}
	got, _, err := s.warpHashes(ctx, s.Options.Mode, lp.plan.index, nil)
	if err != nil {
		return errors.Join(mismatch, err)
	}
	first := warpKey{cta: -1}
	for key, h := range want {
		if got[key] != h && (first.cta < 0 || key.cta < first.cta || key.cta == first.cta && key.warp < first.warp) {
			first = key
		}
	}
	if first.cta < 0 {
		mismatch.What += "; every warp agrees when all are run, so one that stands for others does not"
		return mismatch
	}
	_, a, err := s.warpHashes(ctx, s.Options.Mode, lp.plan.index, &first)
	if err != nil {
		return errors.Join(mismatch, err)
	}
	_, b, err := s.warpHashes(ctx, Full, lp.plan.index, &first)
	if err != nil {
		return errors.Join(mismatch, err)
	}
	mismatch.What = fmt.Sprintf("CTA %d, warp %d: %s", first.cta, first.warp, firstBlock(lp, a, b))
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
				in.Block, lp.File, in.Pos.Line, got[i], got[i+1], issues, lanes)
		}
		i += 2
	})
	return what
}

// warpHashes runs the program up to a launch and returns a hash of the block
// counts of every warp of that launch, and the counts themselves of one warp if
// it is named.
func (s *Session) warpHashes(ctx context.Context, mode Mode, launch int, one *warpKey) (map[warpKey]uint64, []uint64, error) {
	opts := s.Options
	opts.Mode, opts.Jobs, opts.Verify, opts.Progress = mode, 1, false, nil
	again, err := newSession(s.Manifest, s.modules, opts)
	if err != nil {
		return nil, nil, err
	}
	again.whole = true
	hashes := map[warpKey]uint64{}
	var counts []uint64
	filters := again.plan(nil)
	for _, step := range again.steps {
		if step.launch == nil {
			if err := again.host(step.host); err != nil {
				return nil, nil, err
			}
			continue
		}
		l := step.launch
		if l.index == launch {
			blocks := 0
			again.onWarp = func(cta int64, warp int, c []uint64) {
				key := warpKey{cta, warp}
				if blocks == 0 {
					blocks = 2 * again.segments
				}
				hashes[key] = hashes[key]*31 + emulator.HashCounts(c[:blocks])
				if one != nil && *one == key {
					counts = slices.Clone(c[:blocks])
				}
			}
		}
		if _, err := again.runLaunch(ctx, l, filters[l.index], nil); err != nil {
			return nil, nil, err
		}
		if l.index == launch {
			return hashes, counts, nil
		}
	}
	return nil, nil, fmt.Errorf("there is no launch %d", launch)
}
