package jsonscan

// Skip passes over the next value, of any size, without looking into it beyond
// its strings and brackets. It is to be called where a value would come: after
// a [Key], or inside an array.
func (s *Scanner) Skip() error {
	depth := len(s.stack)
	for {
		kind, err := s.Next()
		if err != nil {
			return err
		}
		switch kind {
		case BeginObject, BeginArray:
			return s.SkipRest()
		case EOF:
			return s.fail("no value to skip")
		}
		if len(s.stack) <= depth {
			return nil
		}
	}
}

// SkipRest passes over the rest of the innermost open object or array, with its end.
func (s *Scanner) SkipRest() error {
	open := 1
	for {
		for s.pos < s.end {
			c := s.buf[s.pos]
			s.pos++
			if !structural[c] {
				continue
			}
			switch c {
			case '"':
				if err := s.skipString(); err != nil {
					return err
				}
			case '{', '[':
				if open++; open > MaxDepth {
					return s.fail("more than %d levels of nesting", MaxDepth)
				}
			default:
				if open--; open == 0 {
					return s.skipped(c)
				}
			}
		}
		if err := s.more(); err != nil {
			return s.unexpectedEnd(err)
		}
	}
}

func (s *Scanner) skipped(c byte) error {
	s.pos--
	_, err := s.close(c)
	return err
}

// skipString passes over the string whose opening quote was just taken.
func (s *Scanner) skipString() error {
	for {
		buf, p := s.buf[:s.end], s.pos
		for p < len(buf) {
			c := buf[p]
			p++
			if !special[c] {
				continue
			}
			if c == '"' {
				s.pos = p
				return nil
			}
			if c != '\\' {
				s.Repaired++
				continue
			}
			if p == len(buf) {
				p-- // the escaped byte has not been read yet
				break
			}
			p++
		}
		s.pos = p
		if err := s.more(); err != nil {
			return s.unexpectedEnd(err)
		}
	}
}
