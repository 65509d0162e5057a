package api

import (
	"net/http"

	"pocbakery/pkg/refusal"
)

// plannerRoutes are the routes of the planner.
func plannerRoutes() []route {
	block := []refusal.Code{refusal.NoSuchBlock, refusal.BlockFinal, refusal.KeyReused}
	return []route{
		{method: http.MethodGet, path: "/v1/planner/profile", id: "profile", about: "How the person works: zone, hours, briefing", who: baker, on: plannerHub, status: http.StatusOK, endpoint: gives((*server).profile)},
		{method: http.MethodPut, path: "/v1/planner/profile", id: "save-profile", about: "Change how the person works, and the plan with it", who: baker, on: plannerHub, status: http.StatusOK, endpoint: takes((*server).saveProfile)},
		{method: http.MethodPost, path: "/v1/planner/plan-url", id: "new-plan-url", about: "Give the plan another secret address; the old one is worth nothing from then on", who: baker, on: plannerHub, status: http.StatusOK, endpoint: gives((*server).newPlanURL)},

		{method: http.MethodGet, path: "/v1/planner/tasks", id: "tasks", about: "The tasks, the oldest first", who: baker, on: plannerHub, status: http.StatusOK, endpoint: asks((*server).tasks)},
		{method: http.MethodPost, path: "/v1/planner/tasks", id: "add-task", about: "Add a task, and place it", who: baker, on: plannerHub, key: keyOptional, status: http.StatusCreated, endpoint: takes((*server).addTask),
			refuses: []refusal.Code{refusal.TooMany, refusal.PinConflict, refusal.KeyReused, refusal.NoSuchTask}},
		{method: http.MethodPatch, path: "/v1/planner/tasks/{id}", id: "edit-task", about: "Change a task; null clears a field", who: baker, on: plannerHub, status: http.StatusOK, endpoint: takes((*server).editTask),
			refuses: []refusal.Code{refusal.NoSuchTask, refusal.PinConflict}},
		{method: http.MethodDelete, path: "/v1/planner/tasks/{id}", id: "delete-task", about: "Delete a task and what is planned of it", who: baker, on: plannerHub, status: http.StatusNoContent, endpoint: does((*server).deleteTask),
			refuses: []refusal.Code{refusal.NoSuchTask}},

		{method: http.MethodGet, path: "/v1/planner/plan", id: "plan", about: "The plan of a local date, or of up to 14 in a row, and why it is so", who: baker, on: plannerHub, status: http.StatusOK, endpoint: asks((*server).plan)},
		{method: http.MethodPost, path: "/v1/planner/blocks/{id}/start", id: "start-block", about: "Begin a planned block now", who: baker, on: plannerHub, key: keyOptional, status: http.StatusOK, endpoint: gives((*server).startBlock), refuses: block},
		{method: http.MethodPost, path: "/v1/planner/blocks/{id}/done", id: "finish-block", about: "Finish a block, with the minutes really spent", who: baker, on: plannerHub, key: keyOptional, status: http.StatusOK, endpoint: takes((*server).finishBlock), refuses: block},
		{method: http.MethodPost, path: "/v1/planner/blocks/{id}/extend", id: "extend-block", about: "Give a block more minutes, up to the next event or pin", who: baker, on: plannerHub, key: keyOptional, status: http.StatusOK, endpoint: takes((*server).extendBlock), refuses: block},

		{method: http.MethodGet, path: "/v1/planner/calendars", id: "calendars", about: "The calendars, and how their syncs go", who: baker, on: plannerHub, status: http.StatusOK, endpoint: gives((*server).calendars)},
		{method: http.MethodPost, path: "/v1/planner/calendars", id: "connect-calendar", about: "Connect a calendar; it is read once before the answer", who: baker, on: plannerHub, key: keyOptional, status: http.StatusCreated, endpoint: takes((*server).connect),
			refuses: []refusal.Code{refusal.CalendarURL, refusal.TooMany, refusal.KeyReused, refusal.NoSuchCalendar, refusal.NoShop}},
		{method: http.MethodPatch, path: "/v1/planner/calendars/{id}", id: "edit-calendar", about: "Change a calendar's name and what its events are taken for", who: baker, on: plannerHub, status: http.StatusOK, endpoint: takes((*server).editCalendar),
			refuses: []refusal.Code{refusal.NoSuchCalendar}},
		{method: http.MethodDelete, path: "/v1/planner/calendars/{id}", id: "disconnect-calendar", about: "Disconnect a calendar and forget what was read of it", who: baker, on: plannerHub, status: http.StatusNoContent, endpoint: does((*server).disconnect),
			refuses: []refusal.Code{refusal.NoSuchCalendar}},

		{method: http.MethodGet, path: "/v1/planner/google/login", id: "google-login", about: "Go to Google, to let the planner read a calendar there", who: baker, on: plannerHub, status: http.StatusSeeOther, endpoint: gives((*server).googleLogin),
			refuses: []refusal.Code{refusal.Invalid}},
		{method: http.MethodGet, path: "/v1/planner/google/calendars", id: "google-calendars", about: "What can be connected of who has let us in, the primary first", who: baker, on: plannerHub, status: http.StatusOK, endpoint: gives((*server).offered),
			refuses: []refusal.Code{refusal.Invalid}},
		{method: http.MethodPost, path: "/v1/webhooks/google/{channel}", id: "google-push", about: "Google telling of a change, by a channel and its token", who: open, status: http.StatusNoContent, endpoint: does((*server).pushed)},

		{method: http.MethodGet, path: "/v1/planner/briefings", id: "briefings", about: "The briefings, the latest first", who: baker, on: plannerHub, status: http.StatusOK, endpoint: asks((*server).briefings)},
		{method: http.MethodGet, path: "/v1/planner/events", id: "planner-events", about: "What happened in the planner, in the order of the ids", who: baker, on: plannerHub, status: http.StatusOK, endpoint: asks((*server).plannerEvents)},
		{method: http.MethodPost, path: "/v1/unsubscribe", id: "unsubscribe", about: "End the briefings by mail, by the secret of one", who: open, status: http.StatusNoContent, endpoint: unread(told((*server).unsubscribe)),
			refuses: []refusal.Code{refusal.Unauthenticated}},
		{method: http.MethodGet, path: planPath, id: "plan-file", about: "The plan as a feed for other calendars, by its secret address", who: open, status: http.StatusOK, endpoint: asks((*server).planFile),
			refuses: []refusal.Code{refusal.Unauthenticated, refusal.SandboxEnded, refusal.RateLimited}},
	}
}
