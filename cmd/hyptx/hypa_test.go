package main

import (
	"os"
	"strings"
	"testing"
)

// TestHyPA: the experiment on some networks, as a table and as files; wrong names.
func TestHyPA(t *testing.T) {
	t.Chdir(t.TempDir())
	r := hyptx("hypa", "mobile*", "vgg19", "--repeat", "2", "-o", "out", "--plot", "svg").must(t, exitDone)
	if r.out != "" {
		t.Errorf("a table beside files:\n%s", r.out)
	}
	rows := strings.Split(strings.TrimSpace(read(t, "out/hypa.csv")), "\n")
	if len(rows) != 3 || !strings.HasPrefix(rows[1], "mobilenet,57,568740352,") || !strings.HasPrefix(rows[2], "vgg19,25,19632062464,143667240,") {
		t.Errorf("rows:\n%s", strings.Join(rows, "\n"))
	}
	for _, name := range []string{"executed", "instructions", "efficiency", "time"} {
		if picture := read(t, "out/hypa_"+name+".svg"); !strings.Contains(picture, "vgg19") {
			t.Errorf("%s: %.200s", name, picture)
		}
	}
	t.Setenv("COLUMNS", "200")
	if r := hyptx("hypa", "mobilenet", "--repeat", "1").must(t, exitDone); !strings.Contains(r.out, "10.77") || !strings.Contains(r.out, "exact") {
		t.Errorf("the table:\n%s", r.out)
	}
	match(t, "Welch", hyptx("hypa", "welch", "20,21,22", "30,31,32").must(t, exitDone).out, `t -12\.247449  df 4\.000000 .* significant at`)
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"hypa lenet", exitUsage, "no network is named lenet (did you mean alexnet?); `hyptx samples` lists them"},
		{"hypa moblienet", exitUsage, "no network is named moblienet (did you mean mobilenet?); `hyptx samples` lists them"},
		{"hypa hypa/moblienet", exitUsage, "(did you mean mobilenet?)"},
		{"hypa [", exitUsage, "[: syntax error in pattern"},
		{"hypa mobilenet --verify hypa/vgg16", exitUsage, "--verify vgg16: no network"},
		{"hypa mobilenet --verify vgg16", exitUsage, "no network that is profiled"},
		{"hypa mobilenet --plot png", exitUsage, "-o says which folder"},
		{"hypa mobilenet --repeat 0", exitUsage, "--repeat 0"},
		{"hypa welch 1,2 x", exitUsage, "B: \"x\" is no number"},
		{"hypa welch 1,2 3", exitUsage, "fewer than two"},
	} {
		if r := hyptx(strings.Fields(c.args)...).must(t, c.code); !strings.Contains(r.errOut, c.says) {
			t.Errorf("%s: %s", c.args, r.errOut)
		}
	}
}

// TestSamples: what ships is listed, and is there when it was written.
func TestSamples(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("COLUMNS", "200")
	if r := hyptx("samples").must(t, exitDone); !strings.Contains(r.out, "efficientnetb7") || !strings.Contains(r.out, "srad-small") {
		t.Errorf("the list:\n%s", r.out)
	}
	r := hyptx("samples", "write", "kernels/pad", "hypa/vgg*", "-o", "out").must(t, exitDone)
	if want := "out/hypa/vgg16.json\nout/hypa/vgg19.json\nout/kernels/pad.json\n"; strings.ReplaceAll(r.out, string(os.PathSeparator), "/") != want {
		t.Errorf("written:\n%s", r.out)
	}
	hyptx("profile", "out/kernels/pad.json", "--verify").must(t, exitDone)
	for args, want := range map[string]string{
		"samples write hypa/resnt50":  "^hyptx: no program is named hypa/resnt50 \\(did you mean hypa/resnet50\\?\\); `hyptx samples` lists them\n$",
		"samples write srad-smal":     "did you mean benchmarks/srad-small?",
		"samples write resnet50":      "did you mean .*hypa/resnet50",
		"samples NAEM":                "no program is named NAEM; `hyptx samples` lists them",
		"samples hypa/resnet50":       "`hyptx samples write hypa/resnet50` writes this",
		"samples wirte hypa/resnet50": "did you mean write?",
	} {
		r := hyptx(strings.Fields(args)...)
		if r.code == exitDone {
			t.Errorf("%s: exit code 0", args)
		}
		match(t, args, r.errOut, want)
	}
	// A name that nothing has is wrong whatever the input, of the list as of what is written.
	for _, args := range []string{"samples write hypa/nothing", "samples write NAEM", "samples NAEM"} {
		if r := hyptx(strings.Fields(args)...).must(t, exitUsage); !strings.Contains(r.errOut, "hyptx samples") {
			t.Error(r.errOut)
		}
	}
}

// TestFormatHyPA: a row for each file and no stamp; where it goes has to be said.
func TestFormatHyPA(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", kernel(".param .u64 x", increment))
	put(t, "l.ptx", kernel(".param .u64 x", increment))
	rows := strings.Split(strings.TrimSpace(hyptx("profile", "k.ptx", "l.ptx", "--format", "hypa", "-o", "-").must(t, exitDone).out), "\n")
	if len(rows) != 3 || !strings.HasSuffix(rows[0], ",duration (ms)") || strings.Count(rows[0], ",") != 14 || !strings.HasPrefix(rows[2], "l.ptx,7.0,sm_70,64,") {
		t.Errorf("%q", rows)
	}
	for _, more := range []string{"", "-o x.json", "-o x.csv --metrics branches"} {
		hyptx(append([]string{"profile", "k.ptx", "--format", "hypa"}, strings.Fields(more)...)...).must(t, exitUsage)
	}
}
