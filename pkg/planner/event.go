package planner

import "pocbakery/pkg/hub"

// What happens in a planner.
const (
	TaskAdded      hub.EventType = "TaskAdded"
	TaskDone       hub.EventType = "TaskDone"
	BlockOverrun   hub.EventType = "BlockOverrun"
	PlanChanged    hub.EventType = "PlanChanged"
	CalendarSynced hub.EventType = "CalendarSynced"
	CalendarFailed hub.EventType = "CalendarFailed"
	WatchRenewed   hub.EventType = "WatchRenewed"
	BriefingSent   hub.EventType = "BriefingSent"
	HubAsleep      hub.EventType = "HubAsleep"
	HubAwake       hub.EventType = "HubAwake"
)
