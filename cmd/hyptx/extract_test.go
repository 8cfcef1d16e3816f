package main

import (
	"encoding/binary"
	"strings"
	"testing"
)

// fatProgram is an ELF file, as far as anybody looks, with modules in fat binaries, not
// compressed; those of a target for sm.
func fatProgram(modules map[int]string, order ...int) string {
	le := binary.LittleEndian
	out := []byte("\x7fELF\x02\x01\x01 and what else a program has")
	for _, sm := range order {
		text := modules[sm]
		h := make([]byte, 16+64)
		le.PutUint32(h, 0xba55ed50)
		le.PutUint16(h[4:], 1)
		le.PutUint16(h[6:], 16)
		le.PutUint64(h[8:], uint64(64+len(text)))
		le.PutUint16(h[16:], 1)
		le.PutUint32(h[16+4:], 64)
		le.PutUint64(h[16+8:], uint64(len(text)))
		le.PutUint32(h[16+28:], uint32(sm))
		out = append(append(out, h...), text...)
	}
	return string(out)
}

// TestExtract: the modules of a program become files, and the program itself stands for
// them wherever a .ptx file does; --target chooses.
func TestExtract(t *testing.T) {
	t.Chdir(t.TempDir())
	text := func(sm, body string) string {
		return ".version 8.0\n.target " + sm + "\n.address_size 64\n.visible .entry k() {\n\t.reg .b32 %r;\n" + body + "\tret;\n}\n"
	}
	old, new := text("sm_70", "\tmov.u32 %r, 1;\n"), text("sm_90", "\tmov.u32 %r, 1;\n\tmov.u32 %r, 2;\n")
	put(t, "app", fatProgram(map[int]string{70: old, 90: new}, 70, 90))
	put(t, "one.so", fatProgram(map[int]string{70: old}, 70))
	match(t, "a list", hyptx("extract", "app").must(t, exitDone).out, `^app\.1\.sm_70\.ptx: sm_70, \d+ bytes\napp\.2\.sm_90\.ptx: sm_90, \d+ bytes\n$`)
	hyptx("extract", "app", "-o", "ptx").must(t, exitDone)
	if read(t, "ptx/app.1.sm_70.ptx") != old || read(t, "ptx/app.2.sm_90.ptx") != new {
		t.Error("the files are others")
	}
	instructions := func(args ...string) string {
		return readCSV(t, hyptx(append([]string{"profile", "-o", "-"}, args...)...).must(t, exitDone).out)[0]["static_instructions"]
	}
	if a, b, c := instructions("app"), instructions("app", "--target", "sm_70"), instructions("one.so"); a != "3" || b != "2" || c != "2" {
		t.Errorf("%s, %s and %s instructions", a, b, c)
	}
	match(t, "another target", hyptx("profile", "app", "--target", "sm_80").must(t, exitInput).errOut, `app has no module for sm_80, but for sm_70, sm_90`)
	match(t, "parse", hyptx("parse", "app").must(t, exitDone).out, `(?s)sm_70.*sm_90`)
	put(t, "m.json", `{"version": 1, "name": "n", "launches": [{"module": "app", "kernel": "k", "grid": [1], "block": [32], "args": []}]}`)
	match(t, "a manifest", hyptx("profile", "m.json").must(t, exitInput).errOut, `app holds 2 modules, for \[sm_70 sm_90\]: a manifest needs one; .hyptx extract. writes them apart`)
	put(t, "m.json", strings.Replace(read(t, "m.json"), `"app"`, `"one.so"`, 1))
	hyptx("profile", "m.json").must(t, exitDone)
	put(t, "bad.so", fatProgram(map[int]string{70: strings.Replace(old, "mov.u32", "move.u32", 1)}, 70))
	match(t, "an error in it", hyptx("profile", "bad.so").must(t, exitInput).errOut, `bad\.so:6:2: unknown opcode`)
	put(t, "cut", read(t, "app")[:300])
	match(t, "cut off", hyptx("extract", "cut").must(t, exitInput).errOut, `cut: at byte \d+: a fat binary of \d+ bytes where the file has \d+: it is not whole`)
	match(t, "no PTX", hyptx("profile", "/bin/sh").must(t, exitInput).errOut, `/bin/sh: this is a compiled program; there is no fat binary of CUDA in it`)
	match(t, "a limit", hyptx("extract", "app", "--max-bytes", "100").must(t, exitInput).errOut, `app: larger than 100 bytes; --max-bytes says how much may be`)
	match(t, "onto itself", hyptx("extract", "app", "-o", "app").must(t, exitInput).errOut, `app: not a directory`)
	put(t, "dump.txt", "\nFatbin elf code:\n================\narch = sm_70\n\n"+hyptx("extract", "app", "-o", "-").must(t, exitDone).out)
	hyptx("extract", "dump.txt", "-o", "apart").must(t, exitDone)
	if got := read(t, "apart/dump.1.sm_70.ptx") + read(t, "apart/dump.2.sm_90.ptx"); strings.ReplaceAll(got, "\n\n", "\n") != old+new {
		t.Errorf("of a dump: %q", got)
	}
	put(t, "words.txt", "no PTX\n")
	match(t, "no program", hyptx("extract", "words.txt").must(t, exitInput).errOut, `words.txt: this is no program, and no PTX`)
	if dump := hyptx("extract", "app", "-o", "-").must(t, exitDone).out; strings.Count(dump, "Fatbin ptx code:") != 2 {
		t.Errorf("%s", dump)
	}
}
