package dynamo_test

import (
	"context"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"pocbakery/pkg/sdk"
	"pocbakery/pkg/store"
	"pocbakery/pkg/store/bolt"
	"pocbakery/pkg/store/dynamo"
	"pocbakery/pkg/store/storetest"
	"pocbakery/scripts/ministack"
	"pocbakery/scripts/ministack/stacktest"
)

func TestMain(m *testing.M) { os.Exit(stacktest.Main(m)) }

var (
	ctx  = context.Background()
	noon = time.Date(2040, 5, 17, 12, 0, 0, 0, time.UTC)
)

// client asks a server at this address.
func client(url string) *dynamodb.Client {
	cfg := sdk.Prepare(aws.Config{
		Region: ministack.Region,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
		}),
		BaseEndpoint: aws.String(url),
	})
	return dynamodb.NewFromConfig(cfg)
}

var made struct {
	sync.Mutex
	tables int
}

// table makes a table of its own on the local AWS.
func table(t testing.TB, meter *store.Meter) *dynamo.Store {
	t.Helper()
	return tableAt(t, stacktest.URL(t), meter)
}

func tableAt(t testing.TB, url string, meter *store.Meter) *dynamo.Store {
	t.Helper()
	c := client(url)
	made.Lock()
	defer made.Unlock()
	made.tables++
	name := "table" + strconv.Itoa(made.tables)
	// Once, however long it takes: the local AWS reads much code first.
	patient := func(o *dynamodb.Options) { o.HTTPClient, o.Retryer = sdk.HTTP(time.Minute), aws.NopRetryer{} }
	if _, err := c.CreateTable(ctx, dynamo.Shape(name), patient); err != nil {
		t.Fatal(err)
	}
	return dynamo.New(c, name, meter)
}

// The very names of the cases that bolt runs, in their order: none is skipped.
func TestTheTableDoesWhatThePortSays(t *testing.T) {
	for name, wrap := range map[string]func(store.Store) store.Store{
		"as it is":        func(s store.Store) store.Store { return s },
		"through a Table": func(s store.Store) store.Store { return store.NewTable(s, rand.Uint64) },
	} {
		t.Run(name, func(t *testing.T) {
			s := wrap(table(t, &store.Meter{}))
			var ran []string
			storetest.Run(t, func(t *testing.T) store.Store {
				ran = append(ran, t.Name())
				t.Cleanup(func() {
					if t.Skipped() {
						t.Error("a case was skipped")
					}
				})
				return s
			}, storetest.Options{EventuallyConsistentOverdue: true})
			for n, want := range storetest.Cases() {
				if n >= len(ran) || ran[n] != t.Name()+"/"+want {
					t.Fatalf("case %d is not %s: %v", n, want, ran[min(n, len(ran)):])
				}
			}
		})
	}
}

func TestTheTableAnswersAsTheFileDoes(t *testing.T) {
	inCloud := table(t, &store.Meter{})
	file, err := bolt.Open(t.TempDir()+"/table.db", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	storetest.Differential(t, inCloud, file)
}
