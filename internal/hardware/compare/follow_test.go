package compare

import (
	"context"
	"testing"

	"hyptx/internal/vary"
)

// TestFollow: launch by launch with a machine that obeys the manual, and with
// one that goes wrong in the second of three launches.
func TestFollow(t *testing.T) {
	// y of a launch is x of the next: x = 2^-x, three times.
	p := unary("ex2.approx.f32", 0.5, 1, 2)
	p.body = "ld.global.f32 %f1, [%rd1]; neg.f32 %f1, %f1; ex2.approx.f32 %f2, %f1; st.global.f32 [%rd2], %f2;"
	p.launches = []string{`{"buffer": "x"}, {"buffer": "y"}`, `{"buffer": "y"}, {"buffer": "x"}`, `{"buffer": "x"}, {"buffer": "y"}`}
	open := p.opener(t)
	for _, wrong := range []int{-1, 1} {
		f, err := NewFollower(open)
		if err != nil {
			t.Fatal(err)
		}
		gpu, err := f.open(&vary.Variation{Signs: vary.ByAll, Seed: 77})
		if err != nil {
			t.Fatal(err)
		}
		for launch := range 3 {
			if _, ok, err := gpu.Step(context.Background()); err != nil || !ok {
				t.Fatal(ok, err)
			}
			theirs, err := gpu.Outputs()
			if err != nil {
				t.Fatal(err)
			}
			if launch == wrong { // x is the first buffer
				theirs = with(theirs, 1, f32(1))
			}
			r, err := f.After(context.Background(), theirs)
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Outputs) != 2 || r.Agrees() == (launch == wrong) {
				t.Errorf("launch %d: %s, %+v", launch, r.Verdict, r.Outputs)
			}
			if launch == wrong {
				if b := r.Outputs[0]; b.Name != "x" || b.First == nil || b.First.Index != 1 || r.Outputs[1].Verdict > Within {
					t.Errorf("launch %d: %+v", launch, r.Outputs)
				}
			}
		}
		if wrong >= 0 {
			continue
		}
		if _, err := f.After(context.Background(), outputs(t, f.open, nil)); err == nil {
			t.Error("a fourth launch of three is no error")
		}
	}
}
