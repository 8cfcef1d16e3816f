package depgraph

import "testing"

// TestSources: which identity sources reach the members of a control slice.
func TestSources(t *testing.T) {
	tests := []struct {
		name, body string
		want       sources
		parallel   bool
	}{
		{"none", `mov.u32 %r2, 0;
L: add.u32 %r2, %r2, 1;
setp.lt.u32 %p1, %r2, 9;
@%p1 bra L;
ret;`, 0, true},
		{"threads", `mov.u32 %r1, %tid.x;
setp.lt.u32 %p1, %r1, 9;
@%p1 bra L;
L: ret;`, sourceTIDX, true},
		{"an axis with one thread is none", `mov.u32 %r1, %tid.y;
setp.lt.u32 %p1, %r1, 9;
@%p1 bra L;
L: ret;`, 0, true},
		{"CTAs", `mov.u32 %r1, %ctaid.x;
mov.u32 %r2, %tid.x;
setp.lt.u32 %p1, %r1, 2;
@%p1 bra L;
L: ret;`, sourceCTAX, true},
		{"memory that the launch does not write", `ld.param.u64 %d1, [a];
ld.param.u64 %d2, [b];
mov.u32 %r2, %tid.x;
st.global.u32 [%d2], %r2;
ld.global.u32 %r1, [%d1];
setp.lt.u32 %p1, %r1, 9;
@%p1 bra L;
L: ret;`, 0, true},
		{"memory that it does write", `ld.param.u64 %d1, [a];
mov.u32 %r2, 3;
st.global.u32 [%d1], %r2;
ld.global.u32 %r1, [%d1];
setp.lt.u32 %p1, %r1, 9;
@%p1 bra L;
L: ret;`, sourceGlobal, false},
		{"a pointer that may point anywhere", `ld.param.u64 %d1, [a];
ld.param.u64 %d2, [b];
ld.global.u64 %d3, [%d2];
mov.u32 %r2, 3;
st.global.u32 [%d3], %r2;
ld.global.u32 %r1, [%d1];
setp.lt.u32 %p1, %r1, 9;
@%p1 bra L;
L: ret;`, sourceGlobal, false},
		{"an index from memory stays in its buffer", `ld.param.u64 %d1, [a];
ld.param.u64 %d2, [b];
ld.param.u64 %d4, [c];
ld.global.u32 %r3, [%d2];
mul.wide.u32 %d3, %r3, 4;
add.u64 %d5, %d4, %d3;
mov.u32 %r2, 3;
st.global.u32 [%d5], %r2;
ld.global.u32 %r1, [%d1];
setp.lt.u32 %p1, %r1, 9;
@%p1 bra L;
L: ret;`, 0, true},
		{"an address put together from words points anywhere", `ld.param.u64 %d1, [a];
ld.param.u64 %d2, [b];
ld.global.v2.u32 {%r3, %r4}, [%d2];
mov.b64 %d3, {%r3, %r4};
mov.u32 %r2, 3;
st.global.u32 [%d3], %r2;
ld.global.u32 %r1, [%d1];
setp.lt.u32 %p1, %r1, 9;
@%p1 bra L;
L: ret;`, sourceGlobal, false},
		{"an atomic's result", `ld.param.u64 %d1, [a];
mov.u32 %r2, 1;
atom.global.add.u32 %r1, [%d1], %r2;
setp.lt.u32 %p1, %r1, 9;
@%p1 bra L;
L: ret;`, sourceAtomic, false},
	}
	for _, test := range tests {
		m := lower(t, kernel(test.body))
		f := newKernel(m.Kernels()[0]).Specialise(grid(m)).Slice(Control)
		if f.sources != test.want {
			t.Errorf("%s: sources %#x, want %#x", test.name, f.sources, test.want)
		}
		if f.ParallelSafe != test.parallel {
			t.Errorf("%s: parallel %v, want %v", test.name, f.ParallelSafe, test.parallel)
		}
	}
}

// TestSourcesThroughCalls: barriers matter where threads come back from a call
// at different times, whatever guarded definitions the arguments went through.
func TestSourcesThroughCalls(t *testing.T) {
	src := prologue + `
.func leave(.reg .b32 i)
{
.reg .pred %p;
setp.lt.u32 %p, i, 7;       //+
@%p ret;                    //+
ret;
}
.visible .entry k()
{
.reg .pred %p<3>;
.reg .b32 %r<9>;
mov.u32 %r2, %ntid.x;
setp.eq.u32 %p1, %r2, 64;
mov.u32 %r1, %laneid;       //+
@!%p1 mov.u32 %r1, 5;
call.uni leave, (%r1);      //+
bar.sync 0;                 //+
ret;
}`
	m := lower(t, src)
	l := grid(m)
	l.Pointers = nil
	checkMembers(t, src, newKernel(m.Kernels()[0]).Specialise(l).Slice(Control))
}

// TestGroups: the CTAs of a launch share graphs by what their %ctaid decides.
func TestGroups(t *testing.T) {
	tests := []struct {
		name, body string
		want       int
	}{
		{"no decision", `mov.u32 %r1, %ctaid.x;
mov.u32 %r2, %tid.x;
setp.lt.u32 %p1, %r2, %r1;
@%p1 bra L;
mov.u32 %r3, 1;
L: ret;`, 1},
		{"the first CTA and the others", `mov.u32 %r1, %ctaid.x;
setp.eq.u32 %p1, %r1, 0;
@%p1 bra L;
mov.u32 %r3, 1;
L: ret;`, 2},
		// The second guard decides only what the first lets pass: CTAs 0, 1, 2
		// and 3 go their own way, but 0 never reaches the second.
		{"both ends", `mov.u32 %r1, %ctaid.x;
setp.eq.u32 %p1, %r1, 0;
@%p1 bra L;
add.u32 %r2, %r1, 1;
setp.eq.u32 %p2, %r2, 4;
@%p2 bra L;
mov.u32 %r3, 1;
L: ret;`, 3},
		{"a decision that nobody reaches", `mov.u32 %r1, %ctaid.x;
bra M;
setp.eq.u32 %p1, %r1, 0;
@%p1 bra M;
mov.u32 %r3, 1;
M: ret;`, 1},
	}
	for _, test := range tests {
		m := lower(t, kernel(test.body))
		c := newKernel(m.Kernels()[0]).Specialise(grid(m)).Slice(Control).Groups()
		if got := c.Count(); got != test.want {
			t.Errorf("%s: %d graphs, want %d", test.name, got, test.want)
		}
	}
}
