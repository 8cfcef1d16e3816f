package analysis

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// One command may profile several files, and one file may have several programs: each
// kernel of a bare .ptx is a session of its own (open.go). Here their profiles become
// one, with the totals that a reader expects: one for each program, where the kernels of
// a bare file are one program.
//
// Append adds another program's profile behind this one.
func (p *Profile) Append(q *Profile) {
	if q != nil {
		p.Rows, p.Launches, p.totals = append(p.Rows, q.Rows...), append(p.Launches, q.Launches...), append(p.totals, q.totals...)
		p.of.join(&q.of)
	}
}

// ProfileAll profiles the sessions of one program: a manifest's, or those of
// the kernels of a bare file, which become launches 0, 1, ... of one network.
// What is complete is returned beside an error; the total only if all ran to their
// ends, whether launches failed or not.
func ProfileAll(ctx context.Context, sessions []*Session) (*Profile, error) {
	if len(sessions) == 1 {
		return profileVerified(ctx, sessions[0])
	}
	all := sessions[0].newProfile()
	var failed error
	complete := true
	for i := range sessions {
		p, err := profileVerified(ctx, sessions[i])
		for i, n := range p.flushedSectors {
			all.flushedSectors[i] += n
		}
		p.DropTotals()
		p.totals = nil
		all.Append(p)
		failed, complete = errors.Join(failed, err), complete && p.complete
		if ctx.Err() != nil {
			break
		}
	}
	if complete {
		failed = errors.Join(failed, all.finish(sessions[0]))
	}
	return all, failed
}

// profileVerified profiles a session and, if it was asked to, verifies it.
func profileVerified(ctx context.Context, s *Session) (*Profile, error) {
	p, err := s.Profile(ctx)
	if err == nil && s.Options.Verify {
		err = s.Verify(ctx, p)
	}
	if s.extent.end(); s.left == nil { // what the profile still asks the session for is no memory of the program
		s.machine, s.memory = nil, nil
	}
	return p, s.nameFile(err)
}

// nameFile puts the program's file before an error that does not name it, and before each
// of several.
func (s *Session) nameFile(err error) error {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		var named []error
		for _, e := range several.Unwrap() {
			named = append(named, s.nameFile(e))
		}
		return errors.Join(named...)
	}
	if err == nil || s.Manifest.File == "" || strings.HasPrefix(err.Error(), s.Manifest.File+":") {
		return err
	}
	return fmt.Errorf("%s: %w", s.Manifest.File, err)
}
