package functions_test

import (
	"slices"
	"strings"
	"testing"
)

// right is an action on a resource, as the template writes it.
type right struct{ action, resource string }

// Resources as the template writes them.
const (
	table     = "${Table.Arn}"
	schedules = "arn:${AWS::Partition}:scheduler:${AWS::Region}:${AWS::AccountId}:schedule/${ScheduleGroup}/*"
	parameter = "arn:${AWS::Partition}:ssm:${AWS::Region}:${AWS::AccountId}:parameter${SecretsParameter}"
	hubByName = "arn:${AWS::Partition}:lambda:${AWS::Region}:${AWS::AccountId}:function:${AWS::StackName}-hub"
)

// actions says what each operation that is asked for takes. An operation that
// is not here fails the test: whoever uses it says what it takes.
var actions = map[string][]right{
	"dynamodb.BatchGetItem":   {{"dynamodb:BatchGetItem", table}},
	"dynamodb.BatchWriteItem": {{"dynamodb:BatchWriteItem", table}},
	"dynamodb.PutItem":        {{"dynamodb:PutItem", table}},
	"dynamodb.UpdateItem":     {{"dynamodb:UpdateItem", table}},
	"dynamodb.DeleteItem":     {{"dynamodb:DeleteItem", table}},
	// A transaction is allowed as its parts are. Ours have no part that only checks.
	"dynamodb.TransactWriteItems": {{"dynamodb:PutItem", table}, {"dynamodb:UpdateItem", table}, {"dynamodb:DeleteItem", table}},
	// What is queried is a matter of who asks; see queries.
	"dynamodb.Query": nil,
	// Made only where endpoint discovery is switched on, which nothing does.
	"dynamodb.DescribeEndpoints": nil,
	"scheduler.CreateSchedule":   {{"scheduler:CreateSchedule", schedules}, {"iam:PassRole", "${SchedulerRole.Arn}"}},
	"scheduler.DeleteSchedule":   {{"scheduler:DeleteSchedule", schedules}},
	"scheduler.ListSchedules":    {{"scheduler:ListSchedules", "*"}},
	"ssm.GetParameter":           {{"ssm:GetParameter", parameter}},
}

// queries says what each of our adapter's methods queries: an index is a
// resource of its own.
var queries = map[string]right{
	"dynamo.List":    {"dynamodb:Query", table},
	"dynamo.Due":     {"dynamodb:Query", table + "/index/due"},
	"dynamo.Overdue": {"dynamodb:Query", table + "/index/wake"},
}

// onEverything are the actions for which AWS knows no resource.
var onEverything = []string{"scheduler:ListSchedules"}

// ofItsOwn is what a function needs that its code does not ask for.
var ofItsOwn = map[string][]right{
	"Admit": {{"logs:CreateLogStream", "${AdmitLog.Arn}"}, {"logs:PutLogEvents", "${AdmitLog.Arn}"}},
	"Api":   {{"logs:CreateLogStream", "${ApiLog.Arn}"}, {"logs:PutLogEvents", "${ApiLog.Arn}"}},
	// Lambda sends what failed for good in the function's name.
	"Hub": {{"logs:CreateLogStream", "${HubLog.Arn}"}, {"logs:PutLogEvents", "${HubLog.Arn}"}, {"sqs:SendMessage", "${HubFailures.Arn}"}},
}

func TestEachFunctionMayDoWhatItsCodeAsksForAndNothingElse(t *testing.T) {
	mains := map[string]string{"Admit": "pocbakery/functions/admit", "Api": "pocbakery/functions/api", "Hub": "pocbakery/functions/hub"}
	asked := askedOfAWS(t, mains)
	for name := range mains {
		t.Run(name, func(t *testing.T) {
			if len(asked[name]) < 5 {
				t.Fatalf("it asks for %v alone: the walk lost its way", asked[name])
			}
			needs := map[right]bool{}
			for _, op := range asked[name] {
				rights, known := actions[op]
				query, ours := queries[op]
				if !known && !ours {
					t.Errorf("it asks for %s: what does that take?", op)
				}
				if ours {
					rights = []right{query}
				}
				for _, r := range rights {
					needs[r] = true
				}
			}
			for _, r := range ofItsOwn[name] {
				needs[r] = true
			}
			has := rightsOf(t, name+"Role")
			for r := range needs {
				if !has[r] {
					t.Errorf("it lacks %s on %s", r.action, r.resource)
				}
			}
			for r := range has {
				if !needs[r] {
					t.Errorf("its code never uses %s on %s", r.action, r.resource)
				}
			}
		})
	}
}

// rightsOf are what a role's policies allow.
func rightsOf(t *testing.T, role string) map[right]bool {
	t.Helper()
	all := map[right]bool{}
	for _, policy := range resources(t, "AWS::IAM::Role")[role].at("Policies").list() {
		for _, s := range policy.at("PolicyDocument", "Statement").list() {
			for _, action := range s.at("Action").texts() {
				for _, resource := range s.at("Resource").texts() {
					all[right{action, resource}] = true
				}
			}
		}
	}
	if len(all) == 0 {
		t.Fatalf("%s may do nothing", role)
	}
	return all
}

func TestNoRightIsOnEverythingWhereAWSKnowsLess(t *testing.T) {
	for name := range resources(t, "AWS::IAM::Role") {
		for r := range rightsOf(t, name) {
			if r.resource == "*" && !slices.Contains(onEverything, r.action) {
				t.Errorf("%s: %s on everything", name, r.action)
			}
			if strings.Contains(r.action, "*") {
				t.Errorf("%s: %s is more than one action", name, r.action)
			}
		}
	}
}

func TestARoleIsHandedOnlyToTheScheduler(t *testing.T) {
	for name, role := range resources(t, "AWS::IAM::Role") {
		for _, policy := range role.at("Policies").list() {
			for _, s := range policy.at("PolicyDocument", "Statement").list() {
				if slices.Contains(s.at("Action").texts(), "iam:PassRole") &&
					(s.at("Condition", "StringEquals", "iam:PassedToService").text() != "scheduler.amazonaws.com" || s.at("Resource").text() != "${SchedulerRole.Arn}") {
					t.Errorf("%s may hand on %s", name, s.at("Resource").text())
				}
			}
		}
	}
}

func TestTheSchedulersRoleIsOurGroupsAndWakesTheHubAlone(t *testing.T) {
	role := resources(t, "AWS::IAM::Role")["SchedulerRole"]
	trust := role.at("AssumeRolePolicyDocument", "Statement").list()
	if len(trust) != 1 || trust[0].at("Principal", "Service").text() != "scheduler.amazonaws.com" {
		t.Fatal("others may take it")
	}
	if c := trust[0].at("Condition", "StringEquals"); c.at("aws:SourceAccount").text() != "${AWS::AccountId}" || c.at("aws:SourceArn").text() != "${ScheduleGroup.Arn}" {
		t.Error("anybody's schedules may take it")
	}
	has := rightsOf(t, "SchedulerRole")
	for _, r := range []right{{"lambda:InvokeFunction", hubByName}, {"sqs:SendMessage", "${ScheduleFailures.Arn}"}} {
		if !has[r] {
			t.Errorf("it lacks %v", r)
		}
		delete(has, r)
	}
	if len(has) > 0 {
		t.Errorf("it may do more: %v", has)
	}
}
