package drive

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Server is a running shop: its two addresses and, where it is ours, its
// process.
type Server struct {
	Addr, Admin string // host:port
	Pid         int    // 0 where it is not known

	proc *exec.Cmd
	gone chan error // what became of the process
	data string
	log  *tail
}

// Start runs the program on free ports and a data directory of its own, and
// returns when it answers.
func Start(program string) (*Server, error) {
	data, err := os.MkdirTemp("", "pocbakery-")
	if err != nil {
		return nil, err
	}
	port, admin, err := freePorts()
	if err != nil {
		return nil, err
	}
	path, err := filepath.Abs(program)
	if err != nil {
		return nil, err
	}
	s := &Server{Addr: "127.0.0.1:" + port, Admin: "127.0.0.1:" + admin, data: data, log: &tail{}}
	s.proc = exec.Command(path)
	s.proc.Env = append(os.Environ(), "PORT="+port, "ADMIN_PORT="+admin, "DATA_DIR="+data)
	s.proc.Stderr = s.log
	s.proc.Stdout = s.log
	if err := s.proc.Start(); err != nil {
		os.RemoveAll(data)
		return nil, err
	}
	s.Pid = s.proc.Process.Pid
	s.gone = make(chan error, 1)
	go func() { s.gone <- s.proc.Wait() }()

	for range 300 {
		select {
		case err := <-s.gone:
			os.RemoveAll(data)
			return nil, fmt.Errorf("%s ended at once: %w\n%s", program, err, s.log)
		default:
		}
		if c, err := Dial(s.Addr, ""); err == nil {
			a, err := c.Do("GET", "/v1/status", "", "", nil)
			c.Close()
			if err == nil && a.Status == 200 {
				return s, nil
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	return nil, errors.Join(fmt.Errorf("%s never answered\n%s", program, s.log), s.Stop())
}

// Stop ends the process, if it is ours, as a person would, and removes its
// data. It says so when the process did not end well.
func (s *Server) Stop() error {
	if s.proc == nil {
		return nil
	}
	defer os.RemoveAll(s.data)
	if err := s.proc.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	late := time.AfterFunc(20*time.Second, func() { _ = s.proc.Process.Kill() })
	defer late.Stop()
	if err := <-s.gone; err != nil {
		return fmt.Errorf("it did not stop gracefully: %w\n%s", err, s.log)
	}
	return nil
}

// freePorts are two ports that nobody listened on a moment ago.
func freePorts() (a, b string, err error) {
	var ports [2]string
	for i := range ports {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return "", "", err
		}
		defer l.Close()
		ports[i] = strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	}
	return ports[0], ports[1], nil
}

// tail keeps the end of what a process prints.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p...)
	if extra := len(t.kept) - 4096; extra > 0 {
		t.kept = append(t.kept[:0], t.kept[extra:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.kept)
}

// Memory is what the process has in memory, in bytes.
type Memory struct {
	RSS  int64 // everything resident
	File int64 // of it, pages of mapped files, which the kernel can drop
}

// Memory reads the process's resident memory.
func (s *Server) Memory() (m Memory, err error) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/status", s.Pid))
	if err != nil {
		return m, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) < 2 {
			continue
		}
		kb, _ := strconv.ParseInt(words[1], 10, 64)
		switch words[0] {
		case "VmRSS:":
			m.RSS = kb << 10
		case "RssFile:":
			m.File = kb << 10
		}
	}
	return m, lines.Err()
}

// CPU is the processor time the process has used since it began. The kernel
// counts it in hundredths of a second.
func (s *Server) CPU() (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.Pid))
	if err != nil {
		return 0, err
	}
	// The name in the second field may hold anything; fields count from its end.
	i := strings.LastIndexByte(string(stat), ')')
	words := strings.Fields(string(stat[i+1:]))
	if len(words) < 13 {
		return 0, errors.New("an odd /proc/stat")
	}
	user, err1 := strconv.ParseInt(words[11], 10, 64)
	system, err2 := strconv.ParseInt(words[12], 10, 64)
	return time.Duration(user+system) * 10 * time.Millisecond, errors.Join(err1, err2)
}
