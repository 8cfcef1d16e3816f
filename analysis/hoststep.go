package analysis

import "hyptx/internal/manifest"

// host does what stands between launches.
func (s *Session) host(step *manifest.Step) error {
	switch {
	case step.Copy != nil:
		return s.hostCopy(step)
	case step.Memset != nil:
		return s.hostFill(step.Memset.To, step.Memset.Bytes, step.Memset)
	case step.Write != nil && step.Write.Buffer != nil:
		return s.hostFill(manifest.Pointer{Buffer: step.Write.Buffer}, step.Write.Buffer.Bytes, step.Write.Source)
	case step.Write != nil:
		return s.writeSymbol(step.Write.Symbol, step.Write.Init, nil)
	}
	return nil
}

// hostChunk is how many bytes a host step moves at a time.
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

// hostCopy copies within global memory as memmove does.
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
		to.CopyOrigins(c.To.Offset+at, from, c.From.Offset+at, n)
	}
	return nil
}
