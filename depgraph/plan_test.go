package depgraph

import (
	"strings"
	"testing"
)

// TestPlan: a launch's stores are members if a later launch decides by them.
func TestPlan(t *testing.T) {
	writer := strings.Replace(kernel(`
ld.param.u64 %d1, [a];      //+
ld.param.u64 %d2, [b];
mov.u32 %r1, %tid.x;
add.u32 %r2, %r1, 1;        //+
st.global.u32 [%d1+16], %r2; //+
st.global.u32 [%d1+20], %r1;
st.global.u32 [%d2], %r2;
ret;`), " k(", " w(", 1)
	reader := kernel(`
ld.param.u64 %d1, [c];      //+
ld.global.u32 %r1, [%d1];   //+
setp.lt.u32 %p1, %r1, 7;    //+
@%p1 bra L;                 //+
mov.u32 %r2, 1;
L: ret;`)
	w, r := lower(t, writer), lower(t, reader)
	first, second := grid(w), grid(r)
	second.Pointers[2] = PointerArg{ParamOffset: 16, Offset: 16} // c is buffer 0 from byte 16 on
	plan := new(Planner).Plan([]*Launch{first, second, grid(w)}, nil, Control, nil)
	checkMembers(t, writer, plan[0])
	checkMembers(t, reader, plan[1])
	if n := plan[2].Len(); n != 0 {
		t.Errorf("the last launch has %d members, though nobody reads what it writes", n)
	}
	if plan[0].origins&originMemory != 0 || plan[1].origins&originMemory == 0 {
		t.Errorf("origins %v and %v, want that of loads in the reader", plan[0].origins, plan[1].origins)
	}
}

// TestPlanShares: launches that are alike have one slice, as long as nothing else is
// read behind them; one with another parameter, or read by another, has its own.
func TestPlanShares(t *testing.T) {
	w := lower(t, strings.Replace(kernel(`ld.param.u64 %d1, [a]; mov.u32 %r1, 1; st.global.u32 [%d1], %r1; ret;`), " k(", " w(", 1))
	r := lower(t, kernel(`ld.param.u64 %d1, [c]; ld.global.u32 %r1, [%d1]; setp.lt.u32 %p1, %r1, 7; @%p1 bra L; mov.u32 %r2, 1; L: ret;`))
	reader, other := grid(r), grid(w)
	reader.Pointers[2] = PointerArg{ParamOffset: 16} // c is buffer 0, as a is
	other.Consts.NTID[0]++
	plan := new(Planner).Plan([]*Launch{grid(w), grid(w), reader, grid(w), other, grid(w)}, nil, Control, nil)
	if plan[0] != plan[1] || plan[3] != plan[5] {
		t.Error("launches that are alike have slices of their own")
	}
	if plan[1] == plan[3] || plan[1].Graph != plan[3].Graph || plan[1].Len() == 0 || plan[3].Len() != 0 {
		t.Errorf("%d members before a reader, %d behind it", plan[1].Len(), plan[3].Len())
	}
	if plan[4].Graph == plan[3].Graph {
		t.Error("a launch of another block has the same graph")
	}
}

// TestPlanTraced: where addresses are followed beside the counts, the run that counts
// stores what addresses of later launches rest on, and nothing that they rest on within
// a launch.
func TestPlanTraced(t *testing.T) {
	writer := strings.Replace(kernel(`
ld.param.u64 %d1, [a];      //+
mov.u32 %r1, %tid.x;
st.global.u32 [%d1], %r1;   //+
ret;`), " k(", " w(", 1)
	reader := kernel(`
ld.param.u64 %d1, [c];      //+
ld.global.u32 %r1, [%d1];   //+
cvt.u64.u32 %d2, %r1;       //+
add.u64 %d2, %d2, %d1;      //+
st.global.u64 [%d1+8], %d2; //+
ld.global.u64 %d2, [%d1+8]; //+
ld.global.u32 %r2, [%d2];   //+
ret;`)
	first, second := grid(lower(t, writer)), grid(lower(t, reader))
	second.Pointers[2] = PointerArg{ParamOffset: 16} // c is buffer 0, as a is
	launches := []*Launch{first, second}
	plan, traced := new(Planner).PlanTraced(launches, nil, nil)
	checkMembers(t, writer, plan[0])
	if n := plan[1].Len(); n != 0 {
		t.Errorf("the counts of the last launch have %d members, though it decides nothing", n)
	}
	checkMembers(t, reader, traced[1])
	plan, traced = new(Planner).PlanTraced(launches, nil, []bool{true, false})
	if plan[0].Len() != 0 || plan[1] != nil || traced[0] == nil || traced[1] != nil {
		t.Errorf("the first launch alone: %v, %v", plan, traced)
	}
}
