package planner

import (
	"context"
	"fmt"
	"strings"

	"pocbakery/pkg/hub"
	"pocbakery/pkg/localtime"
	"pocbakery/pkg/refusal"
	"pocbakery/pkg/store"
)

// ProfileView is a profile with the secret address of its plan.
type ProfileView struct {
	Profile
	FeedKey string
}

// Profile is how the person works.
func (p *Service) Profile(ctx context.Context, who hub.Who) (ProfileView, error) {
	s, err := p.read(ctx, who, localtime.Date{})
	if err != nil {
		return ProfileView{}, err
	}
	return p.profileView(s), nil
}

func (p *Service) profileView(s *state) ProfileView {
	return ProfileView{s.profile, p.feedKey(s.root.ID, s.head.FeedKey)}
}

// SaveProfile changes how the person works, and the plan with it.
func (p *Service) SaveProfile(ctx context.Context, who hub.Who, n Profile) (ProfileView, error) {
	s, _, _, err := p.change(ctx, who, once{}, func(s *state) (string, error) {
		return "", s.saveProfile(n, s.now.Business)
	})
	if err != nil {
		return ProfileView{}, err
	}
	return p.profileView(s), nil
}

// NewFeedKey changes the secret address of the plan; the old one is worth
// nothing from then on.
func (p *Service) NewFeedKey(ctx context.Context, who hub.Who) (ProfileView, error) {
	s, _, _, err := p.change(ctx, who, once{}, func(s *state) (string, error) {
		s.head.FeedKey++
		return "", nil
	})
	if err != nil {
		return ProfileView{}, err
	}
	return p.profileView(s), nil
}

// Plans are the plans of so many days from a date; the zero Date is today.
func (p *Service) Plans(ctx context.Context, who hub.Who, from localtime.Date, days int) ([]Plan, error) {
	s, err := p.read(ctx, who, from)
	if err != nil {
		return nil, err
	}
	if from == (localtime.Date{}) {
		from = s.today(s.now.Business)
	}
	plans := make([]Plan, days)
	for n := range plans {
		plans[n] = s.plan(from.AddDays(n), s.now.Business)
	}
	return plans, nil
}

// TaskQuery says which tasks to list.
type TaskQuery struct {
	Done   *bool
	Cursor string // the id of the last task of the page before
	Limit  int
}

// Tasks lists tasks, the oldest first.
func (p *Service) Tasks(ctx context.Context, who hub.Who, q TaskQuery) (tasks []TaskView, next string, err error) {
	s, err := p.read(ctx, who, localtime.Date{})
	if err != nil {
		return nil, "", err
	}
	begun := q.Cursor == ""
	for _, t := range s.tasks {
		if !begun {
			begun = t.ID == q.Cursor
			continue
		}
		if q.Done != nil && *q.Done != t.Done {
			continue
		}
		if len(tasks) == q.Limit {
			return tasks, tasks[len(tasks)-1].ID, nil
		}
		tasks = append(tasks, s.taskView(t))
	}
	if !begun {
		return nil, "", refusal.At(refusal.Invalid, "cursor", "This cursor is not one the planner handed out, or its task is gone.")
	}
	return tasks, "", nil
}

// AddTask adds a task, once a key.
func (p *Service) AddTask(ctx context.Context, who hub.Who, key string, n NewTask) (task TaskView, replayed bool, err error) {
	id, err := p.newID()
	if err != nil {
		return TaskView{}, false, err
	}
	o := once{"task", key, fmt.Sprintf("%+v", n)}
	s, id, replayed, err := p.change(ctx, who, o, func(s *state) (string, error) {
		_, err := s.add(id, n, s.now.Business)
		return id, err
	})
	if err != nil {
		return TaskView{}, false, err
	}
	t := s.task(id)
	if t == nil {
		return TaskView{}, false, noSuchTask() // it was deleted since
	}
	return s.taskView(t), replayed, nil
}

// EditTask changes a task.
func (p *Service) EditTask(ctx context.Context, who hub.Who, id string, e TaskEdit) (TaskView, error) {
	s, _, _, err := p.change(ctx, who, once{}, func(s *state) (string, error) {
		_, err := s.edit(id, e, s.now.Business)
		return id, err
	})
	if err != nil {
		return TaskView{}, err
	}
	return s.taskView(s.task(id)), nil
}

// DeleteTask deletes a task and what is planned of it.
func (p *Service) DeleteTask(ctx context.Context, who hub.Who, id string) error {
	_, _, _, err := p.change(ctx, who, once{}, func(s *state) (string, error) {
		return id, s.remove(id, s.now.Business)
	})
	return err
}

// StartBlock begins a planned block now.
func (p *Service) StartBlock(ctx context.Context, who hub.Who, key, id string) (Plan, bool, error) {
	return p.block(ctx, who, once{"start", key, id}, func(s *state) (*Block, error) { return s.start(id, s.now.Business) })
}

// FinishBlock finishes a block; minutes are those really spent, 0 for as many
// as were planned.
func (p *Service) FinishBlock(ctx context.Context, who hub.Who, key, id string, minutes int) (Plan, bool, error) {
	o := once{"done", key, fmt.Sprint(id, " ", minutes)}
	return p.block(ctx, who, o, func(s *state) (*Block, error) { return s.done(id, minutes, s.now.Business) })
}

// ExtendBlock gives a block more minutes.
func (p *Service) ExtendBlock(ctx context.Context, who hub.Who, key, id string, minutes int) (Plan, bool, error) {
	o := once{"extend", key, fmt.Sprint(id, " ", minutes)}
	return p.block(ctx, who, o, func(s *state) (*Block, error) { return s.extend(id, minutes, s.now.Business) })
}

// block carries out a command on a block and answers with the plan of its date.
func (p *Service) block(ctx context.Context, who hub.Who, o once, act func(*state) (*Block, error)) (Plan, bool, error) {
	s, ref, replayed, err := p.change(ctx, who, o, func(s *state) (string, error) {
		b, err := act(s)
		if err != nil {
			return "", err
		}
		return s.today(b.Start.Time()).String(), nil
	})
	if err != nil {
		return Plan{}, false, err
	}
	day, _ := localtime.ParseDate(ref)
	return s.plan(day, s.now.Business), replayed, nil
}

// Briefings lists the latest briefings, the newest first.
func (p *Service) Briefings(ctx context.Context, who hub.Who, limit int) (out []Briefing, err error) {
	s, err := p.read(ctx, who, localtime.Date{})
	if err != nil {
		return nil, err
	}
	r := store.Prefix(briefPrefix)
	r.Desc, r.Limit = true, limit
	page, err := p.Engine.Store().List(ctx, s.now.Wall, string(s.root.ID), r)
	if err != nil {
		return nil, err
	}
	for _, i := range page.Items {
		day, _ := localtime.ParseDate(strings.TrimPrefix(i.SK, briefPrefix))
		out = append(out, Briefing{Date: day, SentAt: i.Time(fieldSent), Subject: i.String(fieldSubject), Text: i.String(fieldText), HTML: i.String(fieldHTML)})
	}
	return out, nil
}

// Events lists what happened in the planner, in the order of the ids, and where
// to go on from.
func (p *Service) Events(ctx context.Context, who hub.Who, after string, limit int) (events []hub.Event, next string, err error) {
	place, ok := hub.After(after)
	if !ok {
		return nil, "", invalid("after", "This is an event's id or an instant, such as 2026-12-05T09:15:00.000Z.")
	}
	view, err := p.Engine.Open(ctx, who, headSK, profileSK)
	if err != nil {
		return nil, "", err
	}
	if err := p.seen(ctx, view); err != nil {
		return nil, "", err
	}
	r := store.Prefix(logPrefix)
	if place != "" {
		r.From = logPrefix + place + "\x00"
	}
	r.Limit = limit
	page, err := p.Engine.Store().List(ctx, view.Now.Wall, string(view.Root.ID), r)
	if err != nil {
		return nil, "", err
	}
	for _, i := range page.Items {
		logged, err := hub.LoggedIn(i)
		if err != nil {
			return nil, "", err
		}
		events = append(events, logged...)
	}
	if next = after; len(events) > 0 {
		next = events[len(events)-1].ID()
	}
	return events, next, nil
}
