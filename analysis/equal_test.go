package analysis

import (
	"strconv"
	"strings"
	"testing"
)

// TestEqualStores: who reads what all have stored, he himself among them, finds that in any
// order. Not so if one stores anything else, has written over anything else that another may still
// store, or if he has not stored himself.
func TestEqualStores(t *testing.T) {
	const store, load, zero = "st.shared.u32 [y], 7; ", "ld.shared.u32 x, [y]; setp.eq.u32 p, x, 9;", "@first st.shared.u32 [y], 0; "
	for _, c := range []equalCase{
		{"all", store + load, "exact"},
		{"all, behind a barrier", zero + "bar.sync 0; " + store + load, "exact"},
		{"all, of global memory", "st.global.u32 [o], 7; ld.global.u32 x, [o]; setp.eq.u32 p, x, 9;", "exact"},
		{"all, a byte of it is read", "st.shared.u32 [y], 7; ld.shared.u8 x, [y+1]; setp.eq.u32 p, x, 9;", "exact"},
		{"with what is equal by chance", "and.b32 z, t, 0; st.shared.u32 [y], z; " + load, "exact"},
		{"one stores anything else", "setp.eq.u32 p, t, 40; selp.b32 z, 8, 7, p; st.shared.u32 [y], z; " + load, "undefined"},
		{"one stores nothing", "mov.b32 x, 0; setp.ne.u32 p, t, 40; @p st.shared.u32 [y], 7; " + load, "undefined"},
		{"one byte of another", store + "@first st.shared.u8 [y+1], t; ld.shared.u32 x, [y]; setp.eq.u32 p, x, 9; ", "exact"},
		{"one byte of another, which differs", store + "setp.eq.u32 p, t, 40; @p st.shared.u8 [y+1], t; ld.shared.u32 x, [y]; setp.eq.u32 p, x, 9;", "undefined"},
		{"without a barrier behind the first", zero + store + load, "undefined"},
		{"all store twice", "st.shared.u32 [y], 5; " + store + load, "undefined"},
		{"read before, too", zero + "bar.sync 0; ld.shared.u32 z, [y]; " + store + load + " setp.eq.u32 p, z, 9;", "undefined"},
		{"read before, and nobody decides", zero + "bar.sync 0; ld.shared.u32 z, [y]; " + store + load, "exact"},
		{"one adds later", store + "ld.shared.u32 x, [y]; @first red.shared.add.u32 [y], 1; setp.eq.u32 p, x, 9;", "undefined"},
		{"read before what others store is stored by him, too", "mad.lo.u32 z, t, 4, y; st.shared.u32 [z], 1; ld.shared.u32 x, [z]; and.b32 z, t, 31; mad.lo.u32 z, z, 4, y; st.shared.u32 [z], 7; setp.eq.u32 p, x, 9;", "scheduled"},
		{"all store anything else later", store + "ld.shared.u32 x, [y]; bar.warp.sync -1; st.shared.u32 [y], 8; setp.eq.u32 p, x, 9;", "undefined"},
		{"and later, behind a barrier", store + "ld.shared.u32 x, [y]; bar.sync 0; st.shared.u32 [y], 8; setp.eq.u32 p, x, 9;", "exact"},
	} {
		c.check(t, 64)
	}
}

// TestEqualAtomics: atomics that are the same function of what they find commute, wherever they
// stand, and the elements of a vector are atomics of their own.
func TestEqualAtomics(t *testing.T) {
	const zero, half = "@first st.shared.u32 [y], 0; bar.sync 0; and.b32 z, t, 1; setp.eq.u32 p, z, 0; ", " bar.sync 0; ld.shared.u32 x, [y]; setp.eq.u32 p, x, 9;"
	const vector = "cvt.rn.f32.u32 z, t; red.global.add.v2.f32 [o], {z, 0f00000000}; bar.sync 0; ld.global.u32 x, [o+AT]; setp.eq.u32 p, x, 3;"
	for _, c := range []equalCase{
		{"inc", zero + "@p red.shared.inc.u32 [y], 1000; @!p red.shared.inc.u32 [y], 1000;" + half, "exact"},
		{"inc up to others", zero + "@p red.shared.inc.u32 [y], 1000; @!p red.shared.inc.u32 [y], 10;" + half, "scheduled"},
		{"inc and dec", zero + "@p red.shared.inc.u32 [y], 1000; @!p red.shared.dec.u32 [y], 1000;" + half, "scheduled"},
		{"exch", zero + "@p atom.shared.exch.b32 z, [y], 6; @!p atom.shared.exch.b32 x, [y], 6;" + half, "exact"},
		{"exch, of other values", zero + "@p atom.shared.exch.b32 z, [y], 6; @!p atom.shared.exch.b32 x, [y], 7;" + half, "scheduled"},
		{"cas", zero + "@p atom.shared.cas.b32 z, [y], 0, 6; @!p atom.shared.cas.b32 x, [y], 0, 6;" + half, "exact"},
		{"sums", zero + "@p red.shared.add.f32 [y], 0f3f800000; @!p red.shared.add.f32 [y], 0f3f800000;" + half, "exact"},
		{"sums of others", zero + "@p red.shared.add.f32 [y], 0f3f800000; @!p red.shared.add.f32 [y], 0f3f800001;" + half, "scheduled"},
		{"equal bits, added as others", zero + "@p red.shared.add.f32 [y], 0f3f800000; @!p red.shared.inc.u32 [y], 0x3f800000;" + half, "scheduled"},
		{"the element of a vector in which all add one number", strings.Replace(vector, "AT", "4", 1), "exact"},
		{"the other one", strings.Replace(vector, "AT", "0", 1), "scheduled"},
	} {
		c.check(t, 64)
	}
}

// equalCase is a body of deciding, and what is to be said of it.
type equalCase struct{ name, body, want string }

// check profiles it in all modes, in a block of so many threads.
func (c *equalCase) check(t *testing.T, threads int) {
	t.Helper()
	p := program{strings.Replace(deciding, "BODY", c.body, 1), strings.Replace(decidingManifest, "[32]", "["+strconv.Itoa(threads)+"]", 1)}
	p.ptx = strings.Replace(p.ptx, "sm_100a", "sm_90", 1)
	for _, mode := range []Mode{Control, Memory, Full} {
		if got := p.profile(t, mode).Rows[1].Exactness; got != c.want {
			t.Errorf("%s, mode %s: %s, want %s", c.name, mode, got, c.want)
		}
	}
}
