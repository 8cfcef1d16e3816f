package analysis

import "testing"

// TestBriefAssumptions: names that a compiler mangled are not spelled out in a
// table, and many of one kind are a number.
func TestBriefAssumptions(t *testing.T) {
	const k = "_Z15elementwise_addIfEvPKT_S2_PS0_ii_param_"
	const buffer = "=buffer of unspecified contents"
	for _, c := range []struct{ text, want string }{
		{"n=1024", "n=1024"},
		{"dynamic_shared=0", "dynamic_shared=0"},
		{"a" + buffer, "pointer a to unspecified contents"},
		{"grid=1,1,1; block=256,1,1; a" + buffer + "; b" + buffer + "; n=1024; c" + buffer + "; m=1024; x=255",
			"grid=1,1,1; block=256,1,1; 3 pointers to unspecified contents (a, b, c); 2 scalars = 1024 (n, m); x=255"},
		{k + "0" + buffer + "; " + k + "1" + buffer + "; " + k + "2" + buffer + "; " + k + "3" + buffer + "; " + k + "4=1024",
			"4 pointers to unspecified contents (param_0, param_1, param_2, ...); param_4=1024"},
		{"_Z9a_long_nameILi128EEvPKfiiiiiiii=16 zero bytes", "struct _Z9a_long_name...iiiiiii of 16 zero bytes"},
		{"_Z3fooPf=1", "foo(float*)=1"},
		{"buffers.a has no init; buffers.b has no init", "2 buffers without init (buffers.a, buffers.b)"},
		{"registers, shared or local memory read before they are written", "registers, shared or local memory read before they are written"},
	} {
		if got := BriefAssumptions(c.text); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}
