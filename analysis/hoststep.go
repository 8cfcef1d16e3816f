package analysis

import "hyptx/internal/manifest"

// Between launches a program copies and fills memory (cudaMemcpy, cudaMemset). Such
// steps have no row, but later launches read what they leave: a loop count that a
// kernel computed and the host copied must be there when the next kernel asks for it,
// in every mode. So they are done in all modes, on the emulated memory; and where
// origins are followed, a copy takes along what its bytes depend on, for a decision on
// a copied word that nobody gave is as assumed as one on the word itself.
//
// host does one of these steps.
func (s *Session) host(step *manifest.Step) error {
	switch {
	case step.Copy != nil:
		return s.hostCopy(step)
	case step.Memset != nil:
		return s.hostFill(step.Memset.To, step.Memset.Bytes, step.Memset)
	case step.Write != nil && step.Write.Buffer != nil:
		return s.hostFill(manifest.Pointer{Buffer: step.Write.Buffer}, step.Write.Buffer.Bytes, step.Write.Source)
	case step.Write != nil:
		return s.writeSymbol(step.Write.Symbol, step.Write.Init)
	}
	return nil
}

// hostChunk is how many bytes a host step moves at a time: enough that the work by
// page does not matter, and little against the gigabytes that a copy may have.
const hostChunk = 1 << 20

// hostFill writes what a source gives into a buffer.
func (s *Session) hostFill(to manifest.Pointer, bytes int64, src manifest.Source) error {
	buf := make([]byte, min(bytes, hostChunk))
	for at := int64(0); at < bytes; at += hostChunk {
		part := buf[:min(hostChunk, bytes-at)]
		if err := src.Fill(part, at); err != nil {
			return err
		}
		if err := s.memory[to.Buffer].Write(part, to.Offset+at); err != nil {
			return err
		}
	}
	return nil
}

// hostCopy copies within global memory as memmove does: where source and target
// overlap and the target lies behind, from the end, so that no byte is read after it
// was overwritten.
func (s *Session) hostCopy(step *manifest.Step) error {
	c := step.Copy
	from, to := s.memory[c.From.Buffer], s.memory[c.To.Buffer]
	backwards := from == to && c.From.Offset < c.To.Offset
	buf := make([]byte, min(c.Bytes, hostChunk))
	for done := int64(0); done < c.Bytes; done += hostChunk {
		n := min(hostChunk, c.Bytes-done)
		at := done
		if backwards {
			at = c.Bytes - done - n
		}
		if err := from.Read(buf[:n], c.From.Offset+at); err != nil {
			return err
		}
		if err := to.Write(buf[:n], c.To.Offset+at); err != nil {
			return err
		}
		if err := to.CopyOrigins(c.To.Offset+at, from, c.From.Offset+at, n); err != nil {
			return err
		}
	}
	return nil
}
