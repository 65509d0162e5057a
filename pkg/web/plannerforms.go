package web

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"pocbakery/pkg/localtime"
	"pocbakery/pkg/planner"
	"pocbakery/pkg/refusal"
)

// plannerForms are the forms of the planner, by the end of their address.
func (s *Site) plannerForms(post func(path string, h http.HandlerFunc)) {
	for path, do := range map[string]func(*http.Request, visit) error{
		"/tasks":           s.addTask,
		"/tasks/{id}/done": s.finishTask,
		"/tasks/{id}/delete": func(r *http.Request, v visit) error {
			return s.Planner.DeleteTask(r.Context(), v.who, r.PathValue("id"))
		},
		"/blocks/{id}/start":  s.startBlock,
		"/blocks/{id}/done":   s.finishBlock,
		"/blocks/{id}/extend": s.extendBlock,
		"/calendars":          s.connect,
		"/calendars/{id}/delete": func(r *http.Request, v visit) error {
			return s.Planner.Disconnect(r.Context(), v.who, r.PathValue("id"))
		},
	} {
		post(plannerPath+path, func(w http.ResponseWriter, r *http.Request) {
			v, ok := s.plans(w, r)
			if !ok {
				return
			}
			err := do(r, v)
			if err == nil {
				personal(w)
				http.Redirect(w, r, plannerPath, http.StatusSeeOther)
				return
			}
			if no := new(refusal.Refusal); errors.As(err, &no) && no.RetryAfter == 0 {
				s.showPlanner(w, r, err)
				return
			}
			s.failed(w, r, err, plannerPath)
		})
	}
}

func (s *Site) addTask(r *http.Request, v visit) error {
	key, err := postedKey(r)
	if err != nil {
		return err
	}
	profile, err := s.Planner.Profile(r.Context(), v.who)
	if err != nil {
		return err
	}
	n := planner.NewTask{Title: strings.TrimSpace(r.PostForm.Get("title")), Priority: digits(r, "priority"), Minutes: digits(r, "minutes"), MinChunk: digits(r, "piece")}
	if due := r.PostForm.Get("due"); due != "" {
		zone, err := time.LoadLocation(profile.Zone)
		if err != nil {
			return err
		}
		t, err := time.Parse("2006-01-02T15:04", due)
		if err != nil {
			return refusal.At(refusal.Invalid, "due", "This must be a day and a time.")
		}
		n.Due = localtime.Instant(zone, localtime.DateOf(t), time.Duration(t.Hour())*time.Hour+time.Duration(t.Minute())*time.Minute)
	}
	_, _, err = s.Planner.AddTask(r.Context(), v.who, key, n)
	return err
}

// digits is a whole number of a form, 0 where there is none: the planner
// refuses what is out of its bounds.
func digits(r *http.Request, name string) int {
	n, err := strconv.Atoi(r.PostForm.Get(name))
	if err != nil {
		return 0
	}
	return n
}

func (s *Site) finishTask(r *http.Request, v visit) error {
	done := true
	_, err := s.Planner.EditTask(r.Context(), v.who, r.PathValue("id"), planner.TaskEdit{Done: &done})
	return err
}

func (s *Site) startBlock(r *http.Request, v visit) error {
	key, err := postedKey(r)
	if err == nil {
		_, _, err = s.Planner.StartBlock(r.Context(), v.who, key, r.PathValue("id"))
	}
	return err
}

func (s *Site) finishBlock(r *http.Request, v visit) error {
	key, err := postedKey(r)
	if err == nil {
		_, _, err = s.Planner.FinishBlock(r.Context(), v.who, key, r.PathValue("id"), 0)
	}
	return err
}

func (s *Site) extendBlock(r *http.Request, v visit) error {
	key, err := postedKey(r)
	if err == nil {
		_, _, err = s.Planner.ExtendBlock(r.Context(), v.who, key, r.PathValue("id"), digits(r, "minutes"))
	}
	return err
}

func (s *Site) connect(r *http.Request, v visit) error {
	key, err := postedKey(r)
	if err != nil {
		return err
	}
	n := planner.NewCalendar{Kind: r.PostForm.Get("kind"), URL: strings.TrimSpace(r.PostForm.Get("url")), Code: r.PostForm.Get("code"), State: r.PostForm.Get("state")}
	if n.Kind == planner.ShopOf {
		shop, ok, err := s.Who(r)
		if err != nil || !ok {
			return refusal.New(refusal.NoShop, "The pickups are those of a shop: start a sandbox first.")
		}
		n.Shop = shop.Hub
	}
	if cookie, err := r.Cookie(googleCookie); err == nil {
		n.Cookie = cookie.Value
	}
	_, _, err = s.Planner.Connect(r.Context(), v.who, key, n)
	return err
}

// googleCookie is the way back's, as the way there has set it.
const googleCookie = "__Host-google"
