package analysis

import "testing"

// visitHead begins a kernel of clusters of two CTAs: each thread has written a word of its
// own CTA's shared memory at x, and e is the address of the same word in the other CTA.
const visitHead = `.version 8.6
.target sm_90
.address_size 64
.entry k() .reqnctapercluster 2
{
	.reg .b32 t, c, d, e, x;
	.reg .pred p, q;
	.shared .align 8 .b32 sh[64];
	mov.u32 t, %tid.x;
	mov.u32 c, %cluster_ctarank;
	setp.eq.u32 p, c, 0;
	mov.u32 x, sh;
	mad.lo.u32 x, t, 4, x;
	xor.b32 e, c, 1;
	mapa.shared::cluster.u32 e, x, e;
`

// TestVisits: the shared memory of another CTA is there from when its threads are known to
// have begun to when the last one exits that knows of the access, and exact is only who
// decides on what was read between the two.
func TestVisits(t *testing.T) {
	const (
		own     = "\tst.shared.u32 [x], t;\n"
		meet    = "\tbarrier.cluster.arrive;\n\tbarrier.cluster.wait;\n"
		relaxed = "\tbarrier.cluster.arrive.relaxed;\n\tbarrier.cluster.wait;\n"
		read    = "\tld.shared::cluster.u32 d, [e];\n\tsetp.eq.u32 q, d, 7;\n\t@q bra E;\n\tadd.u32 d, d, 1;\nE:\n"
		readOwn = "\tld.shared.u32 d, [x];\n\tsetp.eq.u32 q, d, 7;\n\t@q bra E;\n\tadd.u32 d, d, 1;\nE:\n"
	)
	for _, c := range []struct{ name, body, want string }{
		{"between two barriers", own + meet + read + meet, "exact"},
		{"the second tells of no memory", own + meet + read + relaxed, "exact"},
		{"many rounds", own + meet + "\tmov.u32 c, 0;\nL:\n" + read + "\tadd.u32 c, c, 1;\n\tsetp.lt.u32 q, c, 5;\n\t@q bra L;\n" + meet, "exact"},
		{"one CTA reads, the other waits", own + meet + "\t@p bra R;\n" + meet + "\tret;\nR:\n" + read + meet, "exact"},
		{"some threads of the owner wait", own + meet + "\tsetp.gt.u32 q, t, 3;\n\t@q exit;\n" + read + meet, "exact"},
		{"the own memory", own + "\tmapa.shared::cluster.u32 e, x, c;\n" + read, "exact"},
		{"it decides nothing", own + meet + "\tld.shared::cluster.u32 d, [e];\n", "exact"},
		{"the owner has exited", own + meet + read, "undefined"},
		{"the owner comes and does not wait", own + meet + read + "\tbarrier.cluster.arrive;\n", "undefined"},
		{"the owner exits before the second", own + meet + "\t@!p exit;\n" + read + meet, "undefined"},
		{"the owner may exit", own + meet + "\t@p bra E;\n" + read, "scheduled"},
		{"a store, once both have begun", relaxed + "\tst.shared::cluster.u32 [e], c;\n" + meet + readOwn, "exact"},
		{"a store, perhaps before the other has begun", "\tst.shared::cluster.u32 [e], c;\n" + meet + readOwn, "scheduled"},
	} {
		text := `{"version": 1, "launches": [{"module": "k.ptx", "kernel": "k", "grid": [4], "block": [64], "args": []}]}`
		for _, mode := range []Mode{Control, Memory, Full} {
			s, err := openMode(t, mode, visitHead+c.body+"\tret;\n}\n", text)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			s.Options.Loops = mode == Full // counts are then kept by warp
			p, err := s.Profile(t.Context())
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			if got := p.Rows[0].Exactness; string(got) != c.want {
				t.Errorf("%s, mode %s: %s; want %s", c.name, mode, got, c.want)
			}
			if n := len(p.Races()); n > 0 != (c.want != "exact") {
				t.Errorf("%s, mode %s: %d facts", c.name, mode, n)
			}
		}
	}
}
