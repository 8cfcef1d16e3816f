package calibrate

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLock: a log has one writer; when it has ended, or crashed, the next one goes
// on.
func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "my.log.jsonl")
	s := newSynthetic(t).subject()
	first, err := OpenLog(path, s)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OpenLog(path, s); !errors.Is(err, ErrLocked) {
		t.Errorf("%v, want ErrLocked", err)
	}
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(path+lockEnding, nil, 0o644); err != nil { // of a crash
		t.Fatal(err)
	}
	second, err := OpenLog(path, s)
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Close(); err != nil || first.Close() != nil {
		t.Error(err)
	}
	other := *s
	other.UUID = "GPU-2"
	if _, err := OpenLog(path, &other); err == nil {
		t.Error("the log of another GPU was taken")
	}
	if last, err := OpenLog(path, s); err != nil {
		t.Errorf("after an error the log stays locked: %v", err)
	} else if err := last.Close(); err != nil {
		t.Error(err)
	}
}

// TestBrokeOff: a crash within the first line costs nothing; what is no log stays.
func TestBrokeOff(t *testing.T) {
	for text, want := range map[string]string{
		"": "", `{"sub`: "", `{"subject":{"name":"Quad`: "",
		`{"what":`: "names no GPU", "notes of a user": "names no GPU", `{"subject":` + "\n": "no line of a log",
	} {
		path := filepath.Join(t.TempDir(), "my.log.jsonl")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		l, err := OpenLog(path, newSynthetic(t).subject())
		if want != "" {
			now, _ := os.ReadFile(path)
			if err == nil || !strings.Contains(err.Error(), want) || string(now) != text {
				t.Errorf("%q: %v, and it is %q", text, err, now)
			}
			continue
		}
		if err != nil || !strings.Contains(l.Note, "begun anew") {
			t.Errorf("%q: %v, %+v", text, err, l)
			continue
		}
		l.Close()
		if l, err = ReadLog(path); err != nil || l.Subject.SMs != 80 {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestImpossibleLog: numbers that nothing can have are told with their line.
func TestImpossibleLog(t *testing.T) {
	for line, want := range map[string]string{
		`{"subject":{"name":"x","sms":0,"major":7}}`: "my.log.jsonl:1: the log's GPU has sms 0",
		`{"subject":{"name":"x","sms":80,"major":7}}` + "\n" + `{"measurement":{"kind":"rate","benchmark":"launch","ms":1e308}}`:                      "my.log.jsonl:2: launch: times must be positive",
		`{"subject":{"name":"x","sms":80,"major":7}}` + "\n" + `{"measurement":{"kind":"power","benchmark":"launch","ms":1,"power":{"mean_w":1e30}}}`: "mean_w is 1e+30",
	} {
		path := filepath.Join(t.TempDir(), "my.log.jsonl")
		if err := os.WriteFile(path, []byte(line+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadLog(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
