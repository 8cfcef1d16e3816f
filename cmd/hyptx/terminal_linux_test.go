package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// onTerminal runs a command whose output goes to a terminal of that width, and
// returns what stands there.
func onTerminal(t *testing.T, width int, args ...string) string {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no terminals here: ", err)
	}
	defer screen.Close()
	fd := int(screen.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Skip("no terminals here: ", err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Skip("no terminals here: ", err)
	}
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no terminals here: ", err)
	}
	if err := unix.IoctlSetWinsize(int(tty.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: uint16(width)}); err != nil {
		t.Fatal(err)
	}
	text := make(chan string)
	go func() {
		var all bytes.Buffer
		all.ReadFrom(screen) // ends with an error when the last writer has closed
		text <- strings.ReplaceAll(all.String(), "\r\n", "\n")
	}()
	var errOut bytes.Buffer
	code := runContext(context.Background(), args, strings.NewReader(""), tty, &errOut)
	tty.Close()
	if code != exitDone {
		t.Fatalf("%v: exit code %d: %s", args, code, errOut.String())
	}
	select {
	case out := <-text:
		return out
	case <-time.After(time.Minute):
		t.Fatal("the terminal does not end")
		return ""
	}
}

// TestTerminalWidth: tables are as wide as the terminal, whatever COLUMNS says.
func TestTerminalWidth(t *testing.T) {
	t.Setenv("COLUMNS", "300")
	add := filepath.Join(filepath.Dir(samples), "examples", "vector_add.json")
	narrow, wide := onTerminal(t, 60, "profile", add), onTerminal(t, 200, "profile", add)
	for line := range strings.Lines(narrow) {
		if n := utf8.RuneCountInString(line) - 1; n > 60 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if !strings.Contains(narrow, "left out to fit 60 columns") || strings.Contains(wide, "left out") || !strings.Contains(wide, "threads  warp inst  thread inst") {
		t.Errorf("60 columns:\n%s\n200 columns:\n%s", narrow, wide)
	}
}

// TestRunTerminal: a terminal shows the first values of an output; a pipe, and
// whoever says where to, gets all.
func TestRunTerminal(t *testing.T) {
	add := filepath.Join(filepath.Dir(samples), "examples", "vector_add.json")
	type outputs struct {
		Outputs []struct {
			Elements int
			Values   []float64
			More     string
			Data     []byte
		}
	}
	read := func(text string) outputs {
		t.Helper()
		var o outputs
		if err := json.Unmarshal([]byte(text), &o); err != nil || len(o.Outputs) != 1 || o.Outputs[0].Elements != 200 {
			t.Fatalf("%v: %.500s", err, text)
		}
		return o
	}
	brief := read(onTerminal(t, 80, "run", add)).Outputs[0]
	for what, text := range map[string]string{"a pipe": hyptx("run", add).must(t, exitDone).out, "-o -": onTerminal(t, 80, "run", add, "-o", "-")} {
		all := read(text).Outputs[0]
		if len(all.Values) != 200 || len(all.Data) != 800 || all.More != "" {
			t.Errorf("%s gets %d values, %d bytes", what, len(all.Values), len(all.Data))
		}
		if len(brief.Values) != 20 || brief.Values[19] != all.Values[19] || brief.More != "... 180 more, -o FILE writes all" || brief.Data != nil {
			t.Errorf("a terminal shows %+v", brief)
		}
	}
}
