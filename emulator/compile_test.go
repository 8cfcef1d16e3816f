package emulator_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"hyptx/emulator"
)

// TestCompileLooksForTheEnd: decoding a kernel looks whether it is to stop at every branch
// and at least once for 1024 instructions, and ends there.
func TestCompileLooksForTheEnd(t *testing.T) {
	var text strings.Builder
	text.WriteString(".version 8.3\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u32 n)\n{\n.reg .b32 %r<3>;\n.reg .pred %p;\n")
	const branches, straight = 100, 10_000
	for i := range branches {
		fmt.Fprintf(&text, "setp.eq.u32 %%p, %%r1, %d;\n@%%p bra L;\n", i)
	}
	text.WriteString(strings.Repeat("add.u32 %r1, %r1, %r2;\n", straight) + "L: ret;\n}\n")
	l := load(t, text.String(), 4, 1)
	begun := &asked{Context: t.Context()}
	if _, err := l.machine.Compile(begun, l.prog.Kernel, emulator.Options{}); err != nil {
		t.Fatal(err)
	}
	if n, want := begun.times.Load(), int64(branches+straight/1024); n < want {
		t.Errorf("asked %d times, at least %d are wanted", n, want)
	}
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(errStopped)
	if _, err := l.machine.Compile(ended, l.prog.Kernel, emulator.Options{}); !errors.Is(err, errStopped) {
		t.Errorf("what has ended before it begins: %v", err)
	}
}
