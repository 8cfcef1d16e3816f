package main

import (
	"fmt"
	"math/rand"
	"os"
	"strings"
	"testing"
)

// oneMessage fails unless a command ended with exit 1, printed nothing else
// and said one thing, in words for users.
func oneMessage(t *testing.T, r result, pattern string) {
	t.Helper()
	r.must(t, exitInput)
	match(t, "stderr", r.errOut, "^hyptx: "+pattern+"\n$")
	if strings.Count(r.errOut, "\n") != 1 {
		t.Errorf("more than one message:\n%s", r.errOut)
	}
	for _, internal := range []string{"goroutine", "panic", "BUG", "runtime", ".go:", "nil", "0xc0", "%!"} {
		if strings.Contains(r.errOut, internal) {
			t.Errorf("the message has %q:\n%s", internal, r.errOut)
		}
	}
	if r.out != "" {
		t.Errorf("standard output: %.200s", r.out)
	}
}

// TestBadPTX holds the message for each kind of text that is no PTX.
func TestBadPTX(t *testing.T) {
	whole := kernel("", "mov.u32 %r1, %tid.x;\nadd.u32 %r2, %r1, 1;")
	garbage := make([]byte, 100_000)
	rand.New(rand.NewSource(1)).Read(garbage)
	garbage[0] = 0xf8
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", `k.ptx:1:1: the file holds no PTX; expected .version`},
		{"truncated", whole[:len(whole)-12], `k.ptx:8:1: this statement does not end; expected ; before the end of the file`},
		{"truncated after a statement", whole[:len(whole)-2], `k.ptx:\d+:\d+: .*}.*`},
		{"garbage", string(garbage), `k.ptx:1:1: byte 0xF8 is no PTX; expected ASCII text`},
		{"binary", "\x7fELF" + string(garbage), `k.ptx: this is a compiled program; there is no fat binary of CUDA in it`},
		{"50 MB without ;", header + ".visible .entry k()\n{\n" + strings.Repeat("mov.u32 %r1 ", 50<<20/12),
			`k.ptx:6:1: this statement does not end; expected ; before the end of the file`},
		{"50 MB of one word", strings.Repeat("a", 50<<20), `k.ptx:1:1: unexpected a{20,60}\.\.\.; expected .version, with which PTX begins`},
		{"100,000 braces", header + ".visible .entry k()\n{\n" + strings.Repeat("{", 100_000) + strings.Repeat("}", 100_000) + "}\n",
			`k.ptx:6:100: braces are nested too deep, hyptx takes 100 levels`},
		{"unknown opcode", kernel("", "frob.u32 %r1, %r2;"), `k.ptx:7:1: unknown opcode "frob".*`},
		{"illegal modifier", kernel("", "add.wide.s32 %r1, %r2, %r3;"), `k.ptx:7:5: illegal modifier .wide for add \(allowed here: .*\)`},
		{"undeclared register", kernel("", "add.s32 %r1, %q9, 1;"), `k.ptx:7:14: undeclared register or variable %q9`},
		{"type mismatch", kernel("", "add.s32 %r1, %f1, 1;"), `k.ptx:7:14: operand a of add.s32 is of type .s32, register %f1 is .f32 \(PTX ISA 9.7.1.1\)`},
		{"no kernel", header + ".func f()\n{\nret;\n}\n", `k.ptx: no kernel \(.entry\) with a body`},
		{"shared memory", header + ".visible .entry k()\n{\n.shared .b8 s[1099511627776];\nret;\n}\n",
			`k.ptx: launch 0 \(k\): kernel k: 1099511627776 bytes of shared memory; a CTA has at most 232448`},
		{"local memory", header + ".visible .entry k()\n{\n.local .b8 s[1099511627776];\nret;\n}\n",
			`k.ptx: launch 0 \(k\): kernel k: 1099511627776 bytes of local memory a thread; there are at most 524288`},
		{"constants", header + ".const .b8 s[1099511627776];\n.visible .entry k()\n{\nret;\n}\n",
			`k.ptx:4:12: variable s: more than 720896 bytes of .const memory in the module`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			put(t, "k.ptx", c.text)
			oneMessage(t, hyptx("profile", "k.ptx"), c.want)
		})
	}
}

// TestBadManifest holds the message for each kind of wrong manifest.
func TestBadManifest(t *testing.T) {
	const ok = `"grid": [1], "block": [32], "args": [{"buffer": "x"}]`
	const x = `"x": {"bytes": 64, "type": "u32"}`
	for _, c := range []struct{ name, text, want string }{
		{"syntax", "{\"version\": 1,\n\"name\" 1}", `m.json:2:8: not valid JSON: .*`},
		{"missing kernel", strings.Replace(manifestOf(x, ok), `"kernel": "k"`, `"kernel": "kk"`, 1), `m.json: launches\[0\].kernel: there is no kernel "kk"; there is k`},
		{"too many arguments", manifestOf(x, `"grid": [1], "block": [32], "args": [{"buffer": "x"}, {"value": 3}]`), `m.json: launches\[0\].args: 2 arguments for the 1 parameter of k`},
		{"too few arguments", manifestOf(x, `"grid": [1], "block": [32], "args": []`), `m.json: launches\[0\].args: 0 arguments for the 1 parameter of k`},
		{"grid 0", manifestOf(x, `"grid": [0], "block": [32], "args": [{"buffer": "x"}]`), `m.json: launches\[0\].grid\[0\]: 0 must be a whole number between 1 and 2147483647`},
		{"2000 threads", manifestOf(x, `"grid": [1], "block": [2000], "args": [{"buffer": "x"}]`), `m.json: launches\[0\].block\[0\]: 2000 must be between 1 and 1024`},
		{"40 x 50 threads", manifestOf(x, `"grid": [1], "block": [40, 50], "args": [{"buffer": "x"}]`), `m.json: launches\[0\].block: 2000 threads; a block has at most 1024`},
		{"misspelt key", manifestOf(x, `"gird": [1], `+ok), `m.json: launches\[0\]: unknown key "gird"; known here: .*grid.*`},
		{"missing file", strings.Replace(manifestOf(x, ok), `k.ptx`, `nope.ptx`, 1), `m.json: launches\[0\].module: nope.ptx: .*`},
		{"missing buffer", strings.Replace(manifestOf(x, ok), `"buffer": "x"`, `"buffer": "y"`, 1), `m.json: launches\[0\].args\[0\].*"y".*`},
		{"absurd buffer", manifestOf(`"x": {"bytes": 100000000000000}`, ok), `m.json: buffers.x.bytes: 100000000000000 must be a whole number between 1 and 1099511627776`},
		{"too many threads", manifestOf(x, `"count": 2147483647, "grid": [2147483647, 65535, 65535], "block": [1024], "args": [{"buffer": "x"}]`),
			`m.json: launches\[0\].grid: 2147483647x65535x65535 CTAs of 1024 threads, 2147483647 times, are 2e\+31 threads; at most 3e\+14 can be counted`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			put(t, "k.ptx", kernel(".param .u64 x", ""))
			put(t, "m.json", c.text)
			oneMessage(t, hyptx("profile", "m.json"), c.want)
			oneMessage(t, hyptx("manifest", "check", "m.json"), c.want)
		})
	}
}

// TestPageTables counts the tables of buffers that nobody touches: 1/8192 of
// their size.
func TestPageTables(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", kernel(".param .u64 x", ""))
	put(t, "m.json", manifestOf(`"x": {"bytes": 1099511627776}`, `"grid": [1], "block": [1], "args": [{"buffer": "x"}]`))
	oneMessage(t, hyptx("profile", "m.json", "--max-memory", "100MiB"),
		`m.json: buffers.x: buffer x: 1099511627776 bytes: more than 100 MiB of memory needed: the limit has to be raised with --max-memory`)
	oneMessage(t, hyptx("profile", "m.json", "--max-memory", "1"), `m.json: buffers.x: .*: more than 1 B of memory needed: .*`)
	hyptx("profile", "m.json", "--max-memory", "200MiB").must(t, exitDone)
}

// TestBadRun holds the message for what goes wrong while a kernel runs.
func TestBadRun(t *testing.T) {
	const (
		x64    = `"x": {"bytes": 64, "type": "u32", "init": "zero"}`
		toX    = "ld.param.u64 %rd1, [x];\n"
		perThr = toX + "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\n"
		at     = `m.json: launch 0 \(k\): `
	)
	launch := func(block int) string {
		return fmt.Sprintf(`"grid": [2], "block": [%d], "args": [{"buffer": "x"}]`, block)
	}
	for _, c := range []struct{ name, body, buffers, want string }{
		{"out of bounds", perThr + "st.global.u32 [%rd3], %r1;", x64,
			at + `k.ptx:11:1: st.global.u32 \[%rd3\], %r1: kernel k, CTA \(0,0,0\), thread \(16,0,0\): out of bounds: 4 bytes at global address 0x7f0000000040, just past the end of buffer x \(64 bytes\)`},
		{"misaligned", toX + "ld.global.u32 %r1, [%rd1+2];", x64,
			at + `k.ptx:8:1: ld.global.u32 %r1, \[%rd1\+2\]: kernel k, CTA \(0,0,0\), thread \(0,0,0\): misaligned: 4 bytes at global address 0x7f0000000002 = buffer x \+ 2 \(of 64 bytes\); the address must be a multiple of 4`},
		{"null", "mov.u64 %rd1, 0;\nst.global.u32 [%rd1], %r1;", x64,
			at + `k.ptx:8:1: st.global.u32 \[%rd1\], %r1: kernel k, CTA \(0,0,0\), thread \(0,0,0\): .*0x0 \(a null pointer\)`},
		{"local, out of bounds", "mov.u32 %r1, -4;\ncvt.s64.s32 %rd1, %r1;\nst.local.u32 [%rd1], %r1;", x64,
			at + `k.ptx:9:1: st.local.u32 \[%rd1\], %r1: kernel k, CTA \(0,0,0\), thread \(0,0,0\): out of bounds: .*`},
		{"shared, misaligned", "mov.u32 %r1, 2;\nld.shared.u32 %r2, [%r1];", x64,
			at + `k.ptx:8:1: ld.shared.u32 %r2, \[%r1\]: kernel k, CTA \(0,0,0\), thread \(0,0,0\): misaligned: 4 bytes at shared address 0x2; the address must be a multiple of 4`},
		{"endless loop", "L: bra L;", x64,
			at + `more than 1000000 warp instructions needed: a loop does not end, or the limit has to be raised with --max-instructions`},
		{"deadlocked barrier", "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 32;\n@%p1 bra L;\nbar.sync 0;\nbra E;\nL: bar.sync 1;\nE:", x64,
			at + `kernel k: deadlock: no thread can go on: CTA \(0,0,0\), warp 0, 32 threads from \(0,0,0\) on: at barrier 1 \(k.ptx:12\); CTA \(0,0,0\), warp 1, 32 threads from \(32,0,0\) on: at barrier 0 \(k.ptx:10\).*`},
		{"waits for ever", toX + "L: ld.volatile.global.u32 %r1, [%rd1];\nsetp.ne.u32 %p1, %r1, 7;\n@%p1 bra L;", x64,
			at + `kernel k: deadlock: no thread can go on: CTA \(0,0,0\), warp 0, .*: in a loop that waits for memory \(k.ptx:8\).*`},
		{"memory", perThr + "mul.wide.u32 %rd2, %r1, 65536;\nadd.u64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r1;", `"x": {"bytes": 67108864}`,
			at + `more than 1 MiB of memory needed: the limit has to be raised with --max-memory`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			put(t, "k.ptx", kernel(".param .u64 x", c.body))
			put(t, "m.json", manifestOf(c.buffers, launch(64)))
			args := []string{"m.json", "--max-instructions", "1000000", "--max-memory", "1MiB"}
			oneMessage(t, hyptx(append([]string{"run"}, args...)...), c.want)
			oneMessage(t, hyptx(append([]string{"profile", "--mode", "full"}, args...)...), c.want)
		})
	}
}

// TestBadArguments tells errors of the command line by exit code 2.
func TestBadArguments(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", kernel(".param .u32 n", tail))
	if err := os.Symlink("p.csv", "link.csv"); err != nil {
		t.Fatal(err)
	}
	put(t, "two.ptx", header+".entry a()\n{\nret;\n}\n.entry b()\n{\nret;\n}\n")
	put(t, "m.json", manifestOf("", `"grid": [1], "block": [1], "args": [{"value": 1}]`))
	for _, c := range []struct {
		args string
		want string
	}{
		{"frobnicate", `unknown command "frobnicate"; .hyptx --help. lists the commands`},
		{"profil", `unknown command "profil"; did you mean profile\?`},
		{"manifest nw", `unknown command "nw"; .*`},
		{"profile", `profile: 0 arguments given; usage: hyptx profile \{MANIFEST.json \| FILE.ptx\}...`},
		{"graph k.ptx k.ptx", `graph: 2 arguments given; usage: hyptx graph \{FILE.ptx \| MANIFEST.json\}`},
		{"version x", `version: 1 argument given; usage: hyptx version`},
		{"profile - -", `standard input can be read only once`},
		{"profile k.ptx --top 3 -o p.csv", `--top: -o writes all launches; --by-kernel FILE writes the top kernels`},
		{"profile k.ptx --metrics branch", `--metrics: there is no column "branch"; similar ones are branches, divergent_branches, .*`},
		{"profile k.ptx --metrics zzz", `--metrics: there is no column "zzz"; --metrics list names all`},
		{"manifest new", `manifest new: 0 arguments given; usage: hyptx manifest new FILE.ptx`},
		{"prfile", `unknown command "prfile"; did you mean profile\?`},
		{"profile k.ptx --nope", `unknown flag --nope; .hyptx profile --help. lists the flags`},
		{"profile k.ptx -z", `unknown flag -z; .hyptx profile --help. lists the flags`},
		{"profile k.ptx --grid", `--grid needs a value`},
		{"profile k.ptx --jobs 0", `--jobs 0: must be at least 1`},
		{"profile k.ptx --jobs many", `--jobs many: must be a whole number`},
		{"profile k.ptx --max-memory 3XB", `--max-memory 3XB: must be a size such as 512MiB or 8GiB`},
		{"profile k.ptx --max-instructions 0", `--max-instructions 0: must be at least 1`},
		{"profile k.ptx --timeout soon", `--timeout soon: must be a time such as 30s or 5m`},
		{"profile k.ptx --timeout -5s", `--timeout -5s: must not be negative`},
		{"profile k.ptx -o p.csv --loops ./p.csv", `several outputs would go to p.csv`},
		{"profile k.ptx -o p.csv --loops link.csv", `several outputs would go to p.csv`},
		{"scalemodel mrc m.json --gpu gv100 --llc 0", `--llc: capacities must be positive and ascend; 0 does not`},
		{"scalemodel mrc m.json --gpu gv100 --llc 256,128", `--llc: capacities must be positive and ascend; 128 does not`},
		{"profile k.ptx -o - --json -", `several outputs would go to standard output`},
		{"profile k.ptx -o k.ptx", `cannot write k.ptx: it is an input`},
		{"run m.json -o m.json", `cannot write m.json: it is an input`},
		{"profile k.ptx --grid 1,2,3,4", `--grid 1,2,3,4: must be one to three numbers, as 32,32`},
		{"profile k.ptx --block ,", `--block ,: must be one to three numbers, as 32,32`},
		{"graph k.ptx --what all", `--what all: must be cfg, deps, slice or classes`},
		{"run m.json --dump x", `--dump x: must be name=file.npy`},
		{"profile m.json --launch 9-7", `m.json: --launch: the range 9-7 is empty`},
		{"profile m.json --launch=", `--launch: the value is empty`},
		{"profile m.json --kernel=", `--kernel: the value is empty`},
		{"profile k.ptx --arg n", `--arg n: must be name=value, position=value, name=hex:00ff or name=@file.npy`},
		{"profile k.ptx --arg 0=abc", `--arg 0=abc: "abc" is no number; .*`},
		{"profile k.ptx --arg 0=hex:0", `--arg 0=hex:0: hex: takes pairs of hexadecimal digits, the bytes in memory order`},
		{"profile k.ptx --default-scalar x", `--default-scalar x: "x" is no number; .*`},
		{"profile k.ptx --dynamic-shared -1", `--dynamic-shared -1: must not be negative`},
		{"profile k.ptx --grid 0", `--grid 0: each number must be at least 1, number 1 at most 2147483647`},
		{"profile k.ptx --block 2000", `--block 2000: each number must be at least 1, number 1 at most 1024`},
		{"profile k.ptx two.ptx --block 64,32", `--block 64,32: 2048 threads; a block has at most 1024`},
		{"help foo", `unknown command "foo"; .hyptx --help. lists the commands`},
		{"help power tume", `unknown command "tume"; did you mean tune\?`},
		{"profile k.ptx --mode fast", `--mode fast: must be static, control, memory or full`},
		{"profile k.ptx --top 0", `--top 0: must be at least 1`},
		{"profile k.ptx --top -3", `--top -3: must be at least 1`},
		{"parse", `parse needs at least one file, or --grammar`},
		{"manifest new -", `manifest new needs a file, not standard input: the manifest names it`},
	} {
		r := hyptx(strings.Fields(c.args)...)
		if r.code != exitUsage {
			t.Errorf("%s: exit code %d, want %d: %s", c.args, r.code, exitUsage, r.errOut)
		}
		match(t, c.args, r.errOut, "^hyptx: "+c.want+"\n$")
	}
	for args, want := range map[string]string{
		"profile k.ptx --arg m=1":          `k.ptx: --arg m=1: k has no parameter "m"; its parameters are 0: n \(u32\); a position works, too: --arg 0=...`,
		"profile two.ptx --arg m=1":        `two.ptx: --arg m=1: the kernels a, b have no parameter "m"; a's parameters are none; --kernel chooses a kernel`,
		"profile k.ptx --arg n=hex:00":     `k.ptx: --arg n: 1 byte for the 4 of parameter n`,
		"profile m.json --launch 99":       `m.json: --launch: there is no launch 99; the launches are 0 to 0`,
		"profile k.ptx --launch 0":         `k.ptx: --launch is for manifests; --kernel chooses a kernel of a .ptx file`,
		"profile k.ptx -o no/such/p.csv":   `cannot write no/such/p.csv: there is no directory no/such`,
		"profile k.ptx -o .":               `cannot write .: it is a directory`,
		"profile m.json --grid 3":          `m.json says itself how it is launched: --grid, --block, --arg and their like are for bare .ptx files`,
		"graph two.ptx":                    `two.ptx has 2 kernels: choose one with --kernel`,
		"run two.ptx":                      `two.ptx has 2 kernels: choose one with --kernel`,
		"run m.json --kernel k":            `m.json: --kernel is for bare .ptx files: of a manifest the whole program runs`,
		"run m.json --dump x=y.npy":        `--dump x=y.npy: there is no output "x"; m.json names no outputs: add "outputs": .*`,
		"run k.ptx --dump x=y.npy":         `--dump x=y.npy: there is no output "x"; k.ptx has no outputs: they are the arguments that are given as files, --arg name=@file.npy`,
		"profile k.ptx --arg n=1.5":        `k.ptx: .*1\.5.*`,
		"profile k.ptx two.ptx --kernel z": `--kernel z: none of the 2 files has such a kernel`,
		"profile k.ptx --kernel z":         `k.ptx: there is no kernel "z"; there is k`,
		"parse m.json":                     "m.json is a launch manifest, not PTX; `hyptx manifest check` checks it",
		"profile .":                        `\.: is a directory; name the files in it`,
	} {
		oneMessage(t, hyptx(strings.Fields(args)...), want)
	}
}
