// Package eventbridge keeps one-shots in Amazon EventBridge Scheduler.
//
// A one-shot is a schedule of one group, named as the port names it, which
// wakes one function once and deletes itself. It is created and never moved.
// What the function is handed is the name and nothing else ([Parse]).
//
// # Invariants
//
//	E1 an instant that has come is not scheduled as such, since nobody says what
//	   the scheduler does with one: it fires as soon as a schedule surely can
//	E2 that a schedule of the name is there already counts as armed only while it
//	   surely stands: one that fires or has just fired answers the same, and then
//	   another try number is taken
//	E3 a call made twice creates one schedule: the SDK repeats it under the same
//	   token, and the name does the rest
//	E4 errors say operation and code, and nothing that AWS said
package eventbridge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/scheduler"
	"github.com/aws/aws-sdk-go-v2/service/scheduler/types"
	"github.com/go-json-experiment/json"

	"pocbakery/pkg/alarm"
	"pocbakery/pkg/sdk"
)

const (
	// surely is how far ahead an instant is whose schedule stands for certain.
	surely = 5 * time.Second
	// soonest is how far ahead the earliest instant is that is asked for.
	soonest = 2 * time.Second
	// maxTries bounds how many try numbers one Create takes.
	maxTries = 8
	// pageOf is how many schedules a List asks for at once; AWS's most.
	pageOf = 100

	// A delivery that fails is tried again for as long as an end is better
	// honoured late than by the sweep.
	deliveries    = 10
	deliveriesFor = 3600 // seconds
)

// Config is where the schedules are and what they wake.
type Config struct {
	Group       string // its name
	Target      string // ARN of the function
	Role        string // ARN, by which the scheduler invokes it
	DeadLetters string // ARN of the queue for what could not be delivered
}

// Clock is the group's schedules. Any number of goroutines may use it.
type Clock struct {
	Config
	now func() time.Time
	// The three calls, and not the client: a linker that must keep every method
	// of a type which an interface holds would keep all of the client's.
	create func(context.Context, *scheduler.CreateScheduleInput, ...func(*scheduler.Options)) (*scheduler.CreateScheduleOutput, error)
	list   func(context.Context, *scheduler.ListSchedulesInput, ...func(*scheduler.Options)) (*scheduler.ListSchedulesOutput, error)
	remove func(context.Context, *scheduler.DeleteScheduleInput, ...func(*scheduler.Options)) (*scheduler.DeleteScheduleOutput, error)
}

var _ alarm.Scheduler = (*Clock)(nil)

// New is a clock over a client, which should be of a configuration that
// sdk.Prepare was given, and a wall clock.
func New(client *scheduler.Client, c Config, now func() time.Time) *Clock {
	return &Clock{Config: c, now: now, create: client.CreateSchedule, list: client.ListSchedules, remove: client.DeleteSchedule}
}

// message is what the function is handed.
type message struct {
	Schedule string `json:"schedule"`
}

// Parse reads what a schedule hands to the function.
func Parse(payload []byte) (alarm.Schedule, error) {
	var m message
	if err := json.Unmarshal(payload, &m); err != nil {
		return alarm.Schedule{}, errors.New("eventbridge: no message of a schedule")
	}
	return alarm.ParseName(m.Schedule)
}

// Create makes the one-shot.
func (c *Clock) Create(ctx context.Context, s alarm.Schedule) error {
	ctx, cancel := context.WithTimeout(ctx, sdk.Patience)
	defer cancel()
	for range maxTries {
		now := c.now()
		_, err := c.create(ctx, c.input(s, now))
		var there *types.ConflictException
		switch {
		case err == nil:
			return nil
		case !errors.As(err, &there):
			return failed("CreateSchedule", err)
		case s.At.After(now.Add(surely)):
			return nil
		}
		s.Try++
	}
	return fmt.Errorf("scheduler CreateSchedule: %d schedules of one instant", maxTries)
}

func (c *Clock) input(s alarm.Schedule, now time.Time) *scheduler.CreateScheduleInput {
	at := s.At
	if early := alarm.Ceil(now.Add(soonest)); at.Before(early) {
		at = early
	}
	handed, err := json.Marshal(message{s.Name()})
	if err != nil { // a name is ASCII
		panic(err)
	}
	return &scheduler.CreateScheduleInput{
		Name: aws.String(s.Name()), GroupName: &c.Group,
		ScheduleExpression:         aws.String("at(" + at.UTC().Format("2006-01-02T15:04:05") + ")"),
		ScheduleExpressionTimezone: aws.String("UTC"),
		FlexibleTimeWindow:         &types.FlexibleTimeWindow{Mode: types.FlexibleTimeWindowModeOff},
		ActionAfterCompletion:      types.ActionAfterCompletionDelete,
		Target: &types.Target{
			Arn: &c.Target, RoleArn: &c.Role, Input: aws.String(string(handed)),
			RetryPolicy:      &types.RetryPolicy{MaximumRetryAttempts: aws.Int32(deliveries), MaximumEventAgeInSeconds: aws.Int32(deliveriesFor)},
			DeadLetterConfig: &types.DeadLetterConfig{Arn: &c.DeadLetters},
		},
	}
}

// List returns the hub's one-shots in the order of their instants; of an empty
// hub, everybody's.
func (c *Clock) List(ctx context.Context, hub string) ([]alarm.Schedule, error) {
	ctx, cancel := context.WithTimeout(ctx, sdk.Patience)
	defer cancel()
	in := &scheduler.ListSchedulesInput{GroupName: &c.Group, MaxResults: aws.Int32(pageOf)}
	if hub != "" {
		in.NamePrefix = aws.String(hub + ".") // the dot, or "ab" would list the schedules of "abc"
	}
	var all []alarm.Schedule
	for {
		out, err := c.list(ctx, in)
		if err != nil {
			return nil, failed("ListSchedules", err)
		}
		for _, found := range out.Schedules {
			if s, err := alarm.ParseName(aws.ToString(found.Name)); err == nil { // what somebody else put there is theirs
				all = append(all, s)
			}
		}
		if in.NextToken = out.NextToken; aws.ToString(in.NextToken) == "" {
			break
		}
	}
	slices.SortStableFunc(all, func(a, b alarm.Schedule) int { return a.At.Compare(b.At) })
	return all, nil
}

// Delete removes a one-shot.
func (c *Clock) Delete(ctx context.Context, s alarm.Schedule) error {
	ctx, cancel := context.WithTimeout(ctx, sdk.Patience)
	defer cancel()
	_, err := c.remove(ctx, &scheduler.DeleteScheduleInput{Name: aws.String(s.Name()), GroupName: &c.Group})
	var gone *types.ResourceNotFoundException
	if err == nil || errors.As(err, &gone) {
		return nil
	}
	return failed("DeleteSchedule", err)
}

// failed is what may be told of a call that failed.
func failed(operation string, err error) error {
	return fmt.Errorf("scheduler %s: %s", operation, sdk.Code(err))
}
