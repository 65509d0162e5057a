package functions_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pocbakery/pkg/store/dynamo"
)

// Budgets of one request, in units: the slots of 14 days, and admitting an account.
const (
	mostRead    = 120
	mostWritten = 14
)

func TestTheStagesThrottleBoundsTheBill(t *testing.T) {
	stage := resources(t, "AWS::ApiGatewayV2::Stage")["ApiStage"]
	type throttle struct{ rate, burst int }
	of := func(v value) throttle {
		return throttle{v.at("ThrottlingRateLimit").number(t), v.at("ThrottlingBurstLimit").number(t)}
	}
	all := of(stage.at("DefaultRouteSettings"))
	if all != (throttle{50, 100}) {
		t.Errorf("all routes: %+v", all)
	}
	routes := map[string]bool{}
	for _, r := range resources(t, "AWS::ApiGatewayV2::Route") {
		routes[r.at("RouteKey").text()] = true
	}
	for _, admits := range []string{"POST /v1/sandboxes", "POST /sign-in"} {
		if got := of(stage.at("RouteSettings", admits)); got != (throttle{5, 10}) || !routes[admits] {
			t.Errorf("%s: %+v, and it is a route: %v", admits, got, routes[admits])
		}
	}
	for name, most := range map[string]value{
		"table": resources(t, "AWS::DynamoDB::Table")["Table"].at("OnDemandThroughput"),
		"index": resources(t, "AWS::DynamoDB::Table")["Table"].at("GlobalSecondaryIndexes").list()[0].at("OnDemandThroughput"),
	} {
		read, written := most.at("MaxReadRequestUnits").number(t), most.at("MaxWriteRequestUnits").number(t)
		if read != 2*all.rate*mostRead || written != 2*all.rate*mostWritten {
			t.Errorf("the %s gives at most %d and %d units a second, which is not twice what the throttle lets through", name, read, written)
		}
	}
}

func TestAFunctionEndsBeforeTheGatewayGivesItUp(t *testing.T) {
	common := template(t).at("Globals", "Function")
	timeout := common.at("Timeout").number(t)
	if timeout > 10 {
		t.Errorf("a function may take %d s: a wipe counts on 10", timeout)
	}
	for name, f := range resources(t, "AWS::Serverless::Function") {
		if f.at("Timeout").is() {
			t.Errorf("%s has a timeout of its own", name)
		}
	}
	for name, i := range resources(t, "AWS::ApiGatewayV2::Integration") {
		if i.at("TimeoutInMillis").number(t) <= timeout*1000 || i.at("PayloadFormatVersion").text() != "2.0" {
			t.Errorf("%s: %s, %s", name, i.at("TimeoutInMillis").text(), i.at("PayloadFormatVersion").text())
		}
	}
	if common.at("Runtime").text() != "provided.al2023" || common.at("Architectures").texts()[0] != "${Architecture}" {
		t.Errorf("%s on %s", common.at("Runtime").text(), common.at("Architectures").texts())
	}
}

func TestWhatTheHubFailsOfIsTriedAgainAndKept(t *testing.T) {
	retries := resources(t, "AWS::Lambda::EventInvokeConfig")["HubRetries"]
	if retries.at("MaximumRetryAttempts").number(t) != 2 || retries.at("MaximumEventAgeInSeconds").number(t) != 3600 ||
		retries.at("DestinationConfig", "OnFailure", "Destination").text() != "${HubFailures.Arn}" {
		t.Error("what fails is lost")
	}
	rule := resources(t, "AWS::Events::Rule")
	if len(rule) != 1 || rule["Sweep"].at("ScheduleExpression").text() != "cron(0/5 * * * ? *)" ||
		rule["Sweep"].at("Targets").list()[0].at("DeadLetterConfig", "Arn").text() != "${RuleFailures.Arn}" {
		t.Errorf("%d rules", len(rule))
	}
	alarms := resources(t, "AWS::CloudWatch::Alarm")
	for queue := range resources(t, "AWS::SQS::Queue") {
		watched := false
		for _, a := range alarms {
			dims := a.at("Dimensions").list()
			watched = watched || len(dims) == 1 && dims[0].at("Value").text() == "${"+queue+".QueueName}"
		}
		if !watched {
			t.Errorf("nobody hears of what is in %s", queue)
		}
	}
}

func TestTheAccessLogHoldsNothingOfAVisitor(t *testing.T) {
	stage := resources(t, "AWS::ApiGatewayV2::Stage")["ApiStage"]
	var line map[string]string
	if err := json.Unmarshal([]byte(stage.at("AccessLogSettings", "Format").text()), &line); err != nil {
		t.Fatal(err)
	}
	got := slices.Sorted(maps.Values(line))
	if want := []string{"$context.requestId", "$context.responseLatency", "$context.routeKey", "$context.status"}; !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	if stage.at("DefaultRouteSettings", "DataTraceEnabled").is() || stage.at("DefaultRouteSettings", "LoggingLevel").is() {
		t.Error("the gateway logs what it passes on")
	}
	for name, l := range resources(t, "AWS::Logs::LogGroup") {
		if l.at("RetentionInDays").text() != "${LogRetentionDays}" {
			t.Errorf("%s is kept for ever", name)
		}
	}
}

func TestADeadSweepIsNotSilent(t *testing.T) {
	a := resources(t, "AWS::CloudWatch::Alarm")["OverdueAlarm"]
	if a.at("MetricName").text() != "overdue_seconds" || a.at("TreatMissingData").text() != "breaching" {
		t.Errorf("%s of %s", a.at("TreatMissingData").text(), a.at("MetricName").text())
	}
}

func TestEachAlarmHasARunbookAndEachRunbookAnAlarm(t *testing.T) {
	books := map[string]bool{}
	for name, a := range resources(t, "AWS::CloudWatch::Alarm") {
		book := a.at("AlarmDescription").text()
		books[filepath.Base(book)] = true
		text, err := os.ReadFile(filepath.Join("..", book))
		if err != nil || !strings.Contains(string(text), a.at("AlarmName").text()[len("${AWS::StackName}-"):]) {
			t.Errorf("%s: %s says nothing of %s (%v)", name, book, a.at("AlarmName").text(), err)
		}
		if !slices.Contains(a.at("AlarmActions").texts(), "${AlarmTopic}") {
			t.Errorf("nobody hears of %s", name)
		}
	}
	files, err := filepath.Glob("../docs/runbooks/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if name := filepath.Base(f); !books[name] && !strings.HasPrefix(name, "on-") {
			t.Errorf("%s belongs to no alarm; one for another occasion is called on-...", name)
		}
	}
}

// What `make stack` leaves out is what stands behind a condition: it is not
// there unless a parameter asks for it.
func TestWhatTheLocalDeploymentLeavesOutIsListed(t *testing.T) {
	var out []string
	for name, r := range template(t).at("Resources").members() {
		if r.at("Condition").is() {
			out = append(out, name+" "+r.at("Type").text())
		}
	}
	slices.Sort(out)
	want := []string{
		"ApiDomain AWS::ApiGatewayV2::DomainName",
		"ApiDomainMapping AWS::ApiGatewayV2::ApiMapping",
		"Budget AWS::Budgets::Budget",
		"Distribution AWS::CloudFront::Distribution",
		"ViewerPolicy AWS::CloudFront::OriginRequestPolicy",
	}
	if !slices.Equal(out, want) {
		t.Errorf("%q", out)
	}
}

func TestTheTableIsAsItsAdapterNeedsIt(t *testing.T) {
	shape := dynamo.Shape("any")
	got := resources(t, "AWS::DynamoDB::Table")["Table"]
	keys := func(of value) (all []string) {
		for _, k := range of.at("KeySchema").list() {
			all = append(all, k.at("AttributeName").text()+" "+k.at("KeyType").text())
		}
		return all
	}
	wanted := func(schema []types.KeySchemaElement) (all []string) {
		for _, k := range schema {
			all = append(all, aws.ToString(k.AttributeName)+" "+string(k.KeyType))
		}
		return all
	}
	if !slices.Equal(keys(got), wanted(shape.KeySchema)) {
		t.Errorf("keys: %v", keys(got))
	}
	local, global := got.at("LocalSecondaryIndexes").list()[0], got.at("GlobalSecondaryIndexes").list()[0]
	if !slices.Equal(keys(local), wanted(shape.LocalSecondaryIndexes[0].KeySchema)) || local.at("IndexName").text() != dynamo.IndexDue {
		t.Errorf("the hub's ends: %v", keys(local))
	}
	if !slices.Equal(keys(global), wanted(shape.GlobalSecondaryIndexes[0].KeySchema)) || global.at("IndexName").text() != dynamo.IndexWake {
		t.Errorf("everybody's ends: %v", keys(global))
	}
	kinds := map[string]string{}
	for _, a := range got.at("AttributeDefinitions").list() {
		kinds[a.at("AttributeName").text()] = a.at("AttributeType").text()
	}
	for _, a := range shape.AttributeDefinitions {
		if kinds[aws.ToString(a.AttributeName)] != string(a.AttributeType) {
			t.Errorf("%s is %s", aws.ToString(a.AttributeName), kinds[aws.ToString(a.AttributeName)])
		}
	}
	if len(kinds) != len(shape.AttributeDefinitions) || got.at("TimeToLiveSpecification", "AttributeName").text() != "ttl" {
		t.Errorf("%v, ttl %s", kinds, got.at("TimeToLiveSpecification", "AttributeName").text())
	}
	whole := template(t).at("Resources", "Table")
	if whole.at("DeletionPolicy").text() != "Retain" || whole.at("UpdateReplacePolicy").text() != "Retain" || got.at("TableName").is() {
		t.Error("the table goes with its stack, or cannot be replaced beside the old one")
	}
}
