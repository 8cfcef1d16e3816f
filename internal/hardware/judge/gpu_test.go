package judge

import "testing"

func TestShowEntries(t *testing.T) {
	for text, want := range map[string]string{
		".entry a() {}":              ".visible .entry a() {}",
		"\t.entry a() {}":            "\t.visible .entry a() {}",
		".visible .entry a() {}":     ".visible .entry a() {}",
		".visible\n.entry a() {}":    ".visible\n.entry a() {}",
		".weak .entry a() {}":        ".weak .entry a() {}",
		".extern .entry a();":        ".extern .entry a();",
		".func f() {} .entry k() {}": ".func f() {} .visible .entry k() {}",
	} {
		if got := string(showEntries([]byte(text))); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
