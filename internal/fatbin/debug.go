package fatbin

import (
	"bytes"
	"debug/elf"
	"strings"
)

// machineCUDA is the machine of ELF files with code of NVIDIA's GPUs (EM_CUDA).
const machineCUDA = 190

// debugSections are those in which a debug build keeps its PTX, its lines apart by zeros
// (NVIDIA, CUDA Binary Utilities, cuobjdump's sections).
const debugSections = ".nv_debug_ptx_txt"

// debugText takes the PTX of a debug build of machine code.
func (r *reader) debugText() {
	if !bytes.HasPrefix(r.data, []byte(elf.ELFMAG)) {
		return
	}
	f, err := elf.NewFile(bytes.NewReader(r.data))
	if err != nil || f.Machine != machineCUDA {
		return // what is broken of it is of no interest where there may be none
	}
	looked := uint64(0) // sections do not overlap: together they are no more than the file
	for _, s := range f.Sections {
		if !strings.HasPrefix(s.Name, debugSections) || s.Type == elf.SHT_NOBITS || s.Flags&elf.SHF_COMPRESSED != 0 {
			continue
		}
		if s.Offset > uint64(len(r.data)) || s.FileSize > uint64(len(r.data))-s.Offset {
			r.failed(int(min(s.Offset, uint64(len(r.data)))), "section %s of %d bytes is not whole", s.Name, s.FileSize)
			continue
		}
		if looked += s.FileSize; looked > uint64(len(r.data)) {
			r.failed(int(s.Offset), "sections of debug text that overlap")
			return
		}
		text := bytes.ReplaceAll(r.data[s.Offset:s.Offset+s.FileSize], []byte{0}, []byte{'\n'})
		if !bytes.Contains(text, []byte(".version")) {
			continue
		}
		if err := r.add(text, 0); err != nil {
			r.failed(int(s.Offset), "%w", err)
		}
	}
}
