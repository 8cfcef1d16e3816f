package sass

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"hyptx/ir"
	"hyptx/ir/isa"
	"hyptx/ptx-samples/features"
)

// Stand-ins for NVIDIA's tools. ptxas refuses sm_70 and PTX 99.9 and makes a
// "cubin" that is the PTX; nvdisasm prints a machine instruction for each .loc,
// two where the line after it has a rounding towards zero.
const (
	fakePtxas = `case "$*" in
--version) echo "ptxas: NVIDIA (R) Ptx optimizing assembler"; echo "Cuda compilation tools, release 13.0, V13.0.88"; exit 0;;
esac
while [ $# -gt 0 ]; do case "$1" in -arch=sm_70) echo "ptxas fatal   : Value 'sm_70' is not defined for option 'gpu-name'" >&2; exit 255;; -o) out=$2; shift;; esac; last=$1; shift; done
if grep -q 'version 99.9' "$last"; then echo "ptxas $last, line 1; fatal   : Unsupported .version 99.9; current version is '9.0'" >&2; exit 255; fi
if grep -q 'refuse_me' "$last"; then echo "ptxas $last, line 9; error   : Instruction 'refuse_me' is not for this target" >&2; echo "ptxas fatal   : Ptx assembly aborted due to errors" >&2; exit 255; fi
cp "$last" "$out"
echo "ptxas info    : Compiling entry function 'k' for 'sm_90a'" >&2
echo "ptxas info    : Used 12 registers, used 0 barriers" >&2
`
	fakeNvdisasm = `case "$*" in --version) echo "nvdisasm: NVIDIA (R) CUDA disassembler"; echo "Cuda compilation tools, release 13.0, V13.0.85"; exit 0;; esac
echo ".text.k:"
awk '/\.loc 1/ {print "\t//## File \"hyptx.ptx\", line " $3; print "        /*0010*/                   FADD R0, R1, R2 ;"} /\.rz\./ {print "        /*0020*/               @P0 FADD.RZ R0, R1, R2 ;"}' "$3"
echo "        /*0030*/                   EXIT ;"
`
	fakeCuobjdump = `case "$*" in --version) echo "cuobjdump: NVIDIA (R) Cuda Object Dump Utility, Version 12.6.85"; exit 0;; esac
printf 'arch = sm_80\n\t\tFunction : k\n        /*0000*/                   IMAD.MOV.U32 R1, RZ, RZ, R2 ;\n        /*0010*/                   EXIT ;\n'
`
)

// fakes puts stand-ins on PATH and returns their folder.
func fakes(t *testing.T, tools map[string]string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the stand-ins are shell scripts")
	}
	dir := t.TempDir()
	for name, text := range tools {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return dir
}

func targets(t *testing.T, names ...string) []isa.Target {
	t.Helper()
	var list []isa.Target
	for _, n := range names {
		target, err := isa.ParseTarget([]string{n})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, target)
	}
	return list
}

func TestToolkit(t *testing.T) {
	fakes(t, map[string]string{"ptxas": fakePtxas, "nvdisasm": fakeNvdisasm, "cuobjdump": fakeCuobjdump})
	ctx := context.Background()
	tools, err := Find(ctx, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(tools.Versions, ", "); got != "ptxas V13.0.88, cuobjdump Version 12.6.85, nvdisasm V13.0.85" || tools.PTX != 900 {
		t.Errorf("versions %s, PTX %d", got, tools.PTX)
	}
	known, refused := tools.Architectures(ctx, targets(t, "sm_70", "sm_80", "sm_90a"))
	if len(known) != 2 || len(refused) != 1 || !strings.Contains(refused[0], "sm_70: ptxas: ptxas fatal   : Value 'sm_70' is not defined") {
		t.Errorf("architectures %v, refused %q", known, refused)
	}

	s, err := features.Parse("k.ptx", []byte("// form: add{.rnd}{.ftz}{.sat}.f32 d, a, b\n// source: none\n.version 9.4\n.target sm_120a\n.address_size 64\n"+
		".entry k()\n{\n.reg .f32 a, b;\nmov.f32 a, 0f3f800000;\nadd.rz.f32 b, a, a;\nadd.f32 b, b, a;\nadd.rz.f32 b, b, a;\nret;\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	rows := tools.Forms(ctx, []*features.Sample{s}, known)
	var text strings.Builder
	if err := (&Table{Rows: rows}).Write(&text); err != nil {
		t.Fatal(err)
	}
	want := "form\tfeatures/k\tsm_80\tadd{.rnd}{.ftz}{.sat}.f32 d, a, b\tadd.rz.f32\t2\t4\tFADD:2 FADD.RZ:2\t0\t0\t0\t\n" +
		"form\tfeatures/k\tsm_80\tadd{.rnd}{.ftz}{.sat}.f32 d, a, b\tadd.f32\t1\t1\tFADD:1\t0\t0\t0\t\n"
	if !strings.Contains(text.String(), want) || len(rows) != 4 {
		t.Errorf("%d rows:\n%s\nwant\n%s", len(rows), text.String(), want)
	}

	file := filepath.Join(t.TempDir(), "k.ptx")
	for text, want := range map[string]string{
		".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n":         "",
		".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry refuse_me() { ret; }\n": "line 9; error   : Instruction 'refuse_me'",
		"hello": "k.ptx",
	} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		rows := tools.Kernels(ctx, []string{file}, filepath.Base, targets(t, "sm_80"))
		if len(rows) != 1 || (want == "") != (rows[0].Refused == "") || !strings.Contains(rows[0].Refused, want) {
			t.Fatalf("%q: %+v", text, rows)
		}
		if want == "" && (rows[0].Registers != 12 || rows[0].Machine != 2 || rows[0].Count != 1 || rows[0].SASS["IMAD"] != 1) {
			t.Errorf("%+v", rows[0])
		}
	}
	if rows := tools.Kernels(ctx, []string{"../../../ptx-samples/kernels/sm_80/relu.ptx"}, filepath.Base, targets(t, "sm_75")); len(rows) != 0 {
		t.Errorf("code of sm_80 for sm_75: %+v", rows)
	}
}

// TestToolkitCut: the end of the time leaves whole rows only.
func TestToolkitCut(t *testing.T) {
	fakes(t, map[string]string{"ptxas": fakePtxas, "nvdisasm": "exec sleep 60", "cuobjdump": fakeCuobjdump})
	ctx, cancel := context.WithCancelCause(context.Background())
	tools := &Toolkit{PTX: 900, dir: t.TempDir()}
	tools.ptxas, _ = exec.LookPath("ptxas")
	tools.nvdisasm, _ = exec.LookPath("nvdisasm")
	all, err := features.All()
	if err != nil {
		t.Fatal(err)
	}
	cancel(errors.New("over"))
	if rows := tools.Forms(ctx, all[:3], targets(t, "sm_90a")); len(rows) != 0 {
		t.Errorf("%d rows after the end", len(rows))
	}
}

// TestNoTools: what is missing is named; a tool that is none, too.
func TestNoTools(t *testing.T) {
	dir := fakes(t, map[string]string{"ptxas": "exit 0", "cuobjdump": "exit 0", "nvdisasm": "exit 0"})
	if _, err := Find(context.Background(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "it is no ptxas") {
		t.Errorf("a ptxas that takes all: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "ptxas"), []byte("#!/bin/sh\n[ \"$1\" = --version ] && exit 0\necho nonsense\nexit 3\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Find(context.Background(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "nonsense") {
		t.Errorf("a ptxas that says no version: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := exec.LookPath(filepath.Join(Folder, "ptxas")); err == nil {
		t.Skip("the tools are installed")
	}
	if _, err := Find(context.Background(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "ptxas is neither on PATH nor in /usr/local/cuda/bin") {
		t.Errorf("without tools: %v", err)
	}
}

// TestWithLines: every feature program with its .loc lines is read again, with
// the same instructions.
func TestWithLines(t *testing.T) {
	all, err := features.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		before, err := lower(s.File(), s.Program())
		if err != nil {
			t.Fatal(err)
		}
		after, err := lower(s.File(), withLines(s.Program(), before))
		if err != nil || len(after.Instrs) != len(before.Instrs) {
			t.Errorf("%s: the instructions (%d before) are others: %v", s.Name, len(before.Instrs), err)
			continue
		}
		for i := range after.Instrs {
			_, got := after.Source(ir.PC(i))
			if want := int(before.Instrs[i].Pos.Line); got != want && got != 0 {
				t.Errorf("%s: instruction %d is ascribed to line %d, it stands on %d", s.Name, i, got, want)
				break
			}
		}
	}
}
