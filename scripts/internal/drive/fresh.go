package drive

import (
	"errors"
	"time"
)

// Fresh starts the program, opens it wide, lets f drive it and stops it.
func Fresh(program string, f func(*Server) error) error {
	s, err := Start(program)
	if err != nil {
		return err
	}
	err = func() error {
		// Half an hour is longer than any run and than any hold.
		if err := s.ClearOf(30 * time.Minute); err != nil {
			return err
		}
		if err := s.Open(); err != nil {
			return err
		}
		return f(s)
	}()
	if stopErr := s.Stop(); err == nil {
		return stopErr
	}
	return errors.Join(err, errors.New("the end of its log:\n"+s.log.String()))
}
