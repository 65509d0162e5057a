package local

import (
	"crypto/rand"
	"mime"
	"net/http"
	"regexp"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"pocbakery/pkg/store"
)

// The published test secrets of the human check, and the one token they take.
const (
	secretPasses = "1x0000000000000000000000000000000AA"
	secretFails  = "2x0000000000000000000000000000000AA"
	secretSpent  = "3x0000000000000000000000000000000AA"
	testToken    = "XXXX.DUMMY.TOKEN.XXXX"
	testHostname = "example.com"
	tokenLasts   = 300 * time.Second
	maxToken     = 2048
	maxQuestion  = 16 << 10
)

// SiteverifyPath is where siteverify is under its host.
const SiteverifyPath = "/turnstile/v0/siteverify"

// SiteverifyMode is how siteverify fares.
type SiteverifyMode string

// The modes. One that hangs takes a question and never answers; one that is
// down breaks the connection off.
const (
	SiteverifyOK   SiteverifyMode = "ok"
	SiteverifyHang SiteverifyMode = "hang"
	SiteverifyDown SiteverifyMode = "down"
)

// Siteverify stands in for the other side of the human check, as it is
// documented: test secrets take the test token and always say the same; a
// secret of somebody's own takes the tokens that were issued for it, each for
// 300 seconds and once, and gives a question that comes again with its
// idempotency key the same answer.
type Siteverify struct {
	wall func() time.Time

	mu     sync.Mutex
	mode   SiteverifyMode
	own    map[string]bool    // secrets that tokens were issued for
	issued map[string]*issued // by token
}

// issued is a token that somebody's widget made.
type issued struct {
	secret, hostname, action string
	at                       time.Time
	spent                    bool
	by                       string // the idempotency key it was spent under
}

// NewSiteverify is a stand-in over a wall clock.
func NewSiteverify(wall func() time.Time) *Siteverify {
	return &Siteverify{wall: wall, mode: SiteverifyOK, own: map[string]bool{}, issued: map[string]*issued{}}
}

// SetMode sets how it fares from now on.
func (s *Siteverify) SetMode(m SiteverifyMode) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mode = m
}

// Mode is how it fares.
func (s *Siteverify) Mode() SiteverifyMode {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mode
}

// Issue makes a token as the widget of a secret's site would, where it stands
// on a page of this host for this action.
func (s *Siteverify) Issue(secret, hostname, action string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.wall()
	for token, i := range s.issued { // those it would not take any more either way
		if now.Sub(i.at) >= 2*tokenLasts {
			delete(s.issued, token)
		}
	}
	token := "0." + rand.Text() + rand.Text()
	s.own[secret] = true
	s.issued[token] = &issued{secret: secret, hostname: hostname, action: action, at: now}
	return token
}

// verdict is an answer of siteverify.
type verdict struct {
	Success     bool           `json:"success"`
	ChallengeTS string         `json:"challenge_ts,omitzero"`
	Hostname    string         `json:"hostname,omitzero"`
	Codes       []string       `json:"error-codes"`
	Action      string         `json:"action,omitzero"`
	CData       string         `json:"cdata,omitzero"`
	Metadata    map[string]any `json:"metadata,omitzero"`
}

func no(code string) verdict { return verdict{Codes: []string{code}} }

// question is what siteverify is asked. remoteip may be there and is not
// looked at, as with Cloudflare's.
type question struct {
	Secret   string `json:"secret"`
	Response string `json:"response"`
	Key      string `json:"idempotency_key"`
}

// ServeHTTP answers a question.
func (s *Siteverify) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != SiteverifyPath {
		http.NotFound(w, r)
		return
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "POST only", http.StatusMethodNotAllowed)
		return
	}
	q, readable := readQuestion(w, r)
	switch s.Mode() {
	case SiteverifyHang:
		<-r.Context().Done() // until who asked has left
		panic(http.ErrAbortHandler)
	case SiteverifyDown:
		panic(http.ErrAbortHandler)
	}
	v := no("bad-request")
	if readable {
		v = s.answer(q)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.MarshalWrite(w, v)
}

func readQuestion(w http.ResponseWriter, r *http.Request) (q question, ok bool) {
	r.Body = http.MaxBytesReader(w, r.Body, maxQuestion)
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case err != nil:
		return q, false
	case kind == "application/json":
		return q, json.UnmarshalRead(r.Body, &q) == nil
	case kind == "multipart/form-data":
		err = r.ParseMultipartForm(maxQuestion)
	case kind == "application/x-www-form-urlencoded":
		err = r.ParseForm()
	default:
		return q, false
	}
	return question{r.PostFormValue("secret"), r.PostFormValue("response"), r.PostFormValue("idempotency_key")}, err == nil
}

// uuid is the form of an idempotency key.
var uuid = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

func (s *Siteverify) answer(q question) verdict {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case q.Secret == "":
		return no("missing-input-secret")
	case q.Response == "":
		return no("missing-input-response")
	case len(q.Response) > maxToken:
		return no("invalid-input-response")
	case q.Key != "" && !uuid.MatchString(q.Key):
		return no("bad-request")
	}
	switch q.Secret {
	case secretPasses:
		if q.Response != testToken {
			return no("invalid-input-response")
		}
		return verdict{Success: true, ChallengeTS: store.FormatInstant(s.wall()), Hostname: testHostname, Codes: []string{},
			Metadata: map[string]any{"result_with_testing_key": true}}
	case secretFails:
		return no("invalid-input-response")
	case secretSpent:
		return no("timeout-or-duplicate")
	}
	if !s.own[q.Secret] {
		return no("invalid-input-secret")
	}
	return s.redeem(q)
}

// redeem spends a token of somebody's own widget.
func (s *Siteverify) redeem(q question) verdict {
	i := s.issued[q.Response]
	switch {
	case i == nil || i.secret != q.Secret:
		return no("invalid-input-response")
	case s.wall().Sub(i.at) >= tokenLasts, i.spent && (q.Key == "" || q.Key != i.by):
		return no("timeout-or-duplicate")
	}
	i.spent, i.by = true, q.Key
	return verdict{Success: true, ChallengeTS: store.FormatInstant(i.at), Hostname: i.hostname, Codes: []string{}, Action: i.action}
}
