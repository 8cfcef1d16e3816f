package lanes

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"hyptx/emulator/internal/softfloat"
	"hyptx/ir/isa"
)

// TestKernels compares the loops that the machine can run with the portable ones,
// bit for bit, with the destination apart and on each source of its width. Without
// loops of the machine there is nothing to compare.
func TestKernels(t *testing.T) {
	if len(sets) == 0 {
		t.Skip("no loops of this machine's own")
	}
	for _, s := range sets {
		t.Run(s.name, func(t *testing.T) { testKernels(t, &s.kernels) })
	}
	if last := &sets[len(sets)-1].kernels; !reflect.DeepEqual(pointers(last), pointers(&use)) {
		t.Error("the last set is not in use")
	}
}

// pointers tell one set from another.
func pointers(k *kernels) (p []uintptr) {
	for i := range reflect.TypeFor[kernels]().NumField() {
		p = append(p, reflect.ValueOf(k).Elem().Field(i).Pointer())
	}
	return p
}

func testKernels(t *testing.T, theirs *kernels) {
	mine, replaced := pointers(&portable), pointers(theirs)
	for i := range mine {
		field := reflect.TypeFor[kernels]().Field(i)
		if mine[i] == 0 || replaced[i] == 0 {
			t.Fatalf("%s is missing", field.Name)
		}
		if mine[i] == replaced[i] {
			continue
		}
		t.Run(field.Name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(23, uint64(i)))
			for n := range rounds(3000) {
				dst := n % 4
				if changesWidth[field.Name] {
					dst = 0
				}
				regs := kernelOperands(r)
				switch field.Type {
				case reflect.TypeFor[PredFn]():
					want := kernel[PredFn](&portable, i)(regs.at(1), regs.at(2))
					if got := kernel[PredFn](theirs, i)(regs.at(1), regs.at(2)); got != want {
						t.Fatalf("%#x, want %#x of %v", got, want, regs[2:6])
					}
				case reflect.TypeFor[MaskFn]():
					m, x, y := r.Uint32()&r.Uint32()|-r.Uint32N(2), *regs, *regs
					kernel[MaskFn](&portable, i)(x.at(0), x.at(1), m)
					if kernel[MaskFn](theirs, i)(y.at(0), y.at(1), m); x != y {
						t.Fatalf("lanes %#x: %#x, want %#x of %#x", m, y, x, *regs)
					}
				default:
					checkKernel(t, kernel[Fn](&portable, i), kernel[Fn](theirs, i), regs, dst)
				}
			}
		})
	}
}

// changesWidth has the loops whose destination overlaps a source of another
// width only in part, if at all, which slot.go excludes.
var changesWidth = map[string]bool{
	"mulWideU32": true, "mulWideS32": true, "madWideU32": true, "madWideS32": true, "shl64": true, "shrU64": true,
	"low32": true, "zeroExtend32": true, "signExtend32": true,
}

// kernel returns field i of a set of kernels.
func kernel[F any](k *kernels, i int) F {
	return reflect.NewAt(reflect.TypeFor[F](), reflect.ValueOf(k).Elem().Field(i).Addr().UnsafePointer()).Elem().Interface().(F)
}

func checkKernel(t *testing.T, want, got Fn, regs *registers, dst int) {
	x, y := *regs, *regs
	want(x.at(dst), x.at(1), x.at(2), x.at(3))
	got(y.at(dst), y.at(1), y.at(2), y.at(3))
	if x != y {
		for i := range x {
			for lane := range Width {
				if x[i][lane] != y[i][lane] {
					t.Fatalf("slot %d lane %d: %#x, want %#x (a %#x, b %#x, c %#x)", i, lane, y[i][lane], x[i][lane],
						regs.at(1)[lane], regs.at(2)[lane], regs.at(3)[lane])
				}
			}
		}
	}
}

// kernelOperands mixes operands of all kinds: the loops do not know types.
func kernelOperands(r *rand.Rand) *registers {
	regs := new(registers)
	kind := r.IntN(4)
	for i := 1; i <= 3; i++ {
		for lane := range Width {
			switch {
			case kind == 0:
				regs.set(isa.U64, i, lane, intOperand(r, 64))
			case kind == 1:
				regs.at(i)[lane] = uint32(intOperand(r, 32))
			case kind == 2 && i > 1 && r.IntN(2) == 0: // near the first operand
				regs.at(i)[lane] = regs.at(i - 1)[lane] + uint32(r.IntN(3)) - 1
			default:
				regs.at(i)[lane] = uint32(softfloat.F32.Operand(r))
			}
		}
	}
	return regs
}
