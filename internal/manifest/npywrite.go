package manifest

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"hyptx/internal/fp16"
)

// npyCodes are the type codes that outputs are written with. Untyped bits
// become unsigned integers; bf16, which NumPy lacks, is widened to float32,
// which is exact.
var npyCodes = [...]string{
	S8: "|i1", S16: "<i2", S32: "<i4", S64: "<i8", U8: "|u1", U16: "<u2", U32: "<u4", U64: "<u8",
	B8: "|u1", B16: "<u2", B32: "<u4", B64: "<u8", F16: "<f2", BF16: "<f4", F32: "<f4", F64: "<f8",
}

// WriteNPY writes so many bytes of elements of type t, little-endian, as a
// one-dimensional NumPy array in format version 1: the elements start at a multiple
// of 64. bf16 is widened to float32.
func WriteNPY(w io.Writer, t Type, size int64, data io.Reader) error {
	if t == NoType || size%int64(t.Size()) != 0 {
		return fmt.Errorf("%d bytes are no whole number of %q", size, t)
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }", npyCodes[t], size/int64(t.Size()))
	length := (10+len(text)+1+63)/64*64 - 10
	head := append([]byte(npyMagic), 1, 0)
	head = binary.LittleEndian.AppendUint16(head, uint16(length))
	head = fmt.Appendf(head, "%-*s\n", length-1, text)
	if _, err := w.Write(head); err != nil {
		return err
	}
	if t == BF16 {
		data = &widened{narrow: bufio.NewReader(data)}
		size *= 2
	}
	_, err := io.CopyN(w, data, size)
	return err
}

// widened reads bf16 as float32.
type widened struct{ narrow *bufio.Reader }

func (r *widened) Read(dst []byte) (n int, err error) {
	var b [2]byte
	for ; n+4 <= len(dst); n += 4 {
		if _, err := io.ReadFull(r.narrow, b[:]); err != nil {
			return n, err
		}
		binary.LittleEndian.PutUint32(dst[n:], math.Float32bits(fp16.BF16ToF32(binary.LittleEndian.Uint16(b[:]))))
	}
	return n, nil
}
