package analysis

import "hyptx/depgraph"

// plan returns the slices, in the session's mode, of the chosen launches and of
// those whose stores they read; of all if chosen is nil.
func (s *Session) plan(chosen []bool) []*depgraph.Filtered {
	return s.planner.Plan(s.depLaunches(), s.copies(), s.criteria(), chosen)
}

// criteria returns what the session's slices are to decide. Full mode has that
// of the mode that counts the same, so that both follow origins through the
// same.
func (s *Session) criteria() depgraph.Mode {
	if s.traffic {
		return depgraph.Memory
	}
	return depgraph.Control
}

func (s *Session) depLaunches() []*depgraph.Launch {
	deps := make([]*depgraph.Launch, len(s.launches))
	for i, l := range s.launches {
		deps[i] = l.dep
	}
	return deps
}

// copies returns the host's copies by the launch that they stand before.
func (s *Session) copies() map[int][]depgraph.Copy {
	copies := map[int][]depgraph.Copy{}
	next := 0
	for _, step := range s.steps {
		switch {
		case step.launch != nil:
			next = step.launch.index + 1
		case step.host.Copy != nil:
			c := step.host.Copy
			copies[next] = append(copies[next], depgraph.Copy{From: s.bufferIndex[c.From.Buffer], To: s.bufferIndex[c.To.Buffer]})
		}
	}
	return copies
}
