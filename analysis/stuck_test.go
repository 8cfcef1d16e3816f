package analysis

import (
	"context"
	"strings"
	"testing"
)

// TestStuck: threads that wait at a barrier for others of their warp, who wait for them at what all
// of its members execute, wait for ever in all modes, be that what they execute in the slice or not.
func TestStuck(t *testing.T) {
	const part = "setp.lt.u32 p, t, 8; @p bra L; WAIT; L: "
	for _, c := range []struct{ name, wait, body, want string }{
		{"a vote", "barrier.sync 1", "vote.sync.ballot.b32 x, first, -1;", "deadlock"},
		{"a vote, cluster", "barrier.cluster.arrive; barrier.cluster.wait", "vote.sync.ballot.b32 x, first, -1;", "deadlock"},
		{"a shuffle", "barrier.sync 1", "shfl.sync.bfly.b32 x, t, 1, 31, -1;", "deadlock"},
		{"a reduction", "barrier.sync 1", "redux.sync.add.u32 x, t, -1;", "deadlock"},
		{"a barrier of the warp", "barrier.sync 1", "bar.warp.sync -1;", "deadlock"},
		{"a vote of those who come", "barrier.sync 1", "mov.u32 x, 0xff; @!p mov.u32 x, 0xffffff00; vote.sync.ballot.b32 x, first, x;", ""},
		{"nobody waits", "barrier.arrive 1, 64", "vote.sync.ballot.b32 x, first, -1;", ""},
	} {
		body := strings.Replace(part, "WAIT", c.wait, 1) + c.body + " setp.eq.u32 p, t, 3;"
		p := program{strings.Replace(deciding, "BODY", body, 1), decidingManifest}
		for _, mode := range []Mode{Control, Memory, Full} {
			_, err := p.session(t, mode).Profile(context.Background())
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s, mode %s: %v, want %q", c.name, mode, err, c.want)
			}
		}
	}
}
