package stacktest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Metered is where the local AWS answers with what a read consumes by
// DynamoDB's public rules: it says itself one unit a read, whatever was read.
// The rules are applied to the rows as they are in the answer, attribute by
// attribute, and share nothing with the product's own count.
func Metered(t testing.TB) string {
	t.Helper()
	behind := URL(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client has gone
		}
		out, err := http.NewRequestWithContext(r.Context(), r.Method, behind+r.URL.RequestURI(), bytes.NewReader(asked))
		if err != nil {
			t.Error(err)
			return
		}
		out.Header = r.Header.Clone()
		answer, err := http.DefaultClient.Do(out)
		if err != nil {
			panic(http.ErrAbortHandler) // as the server behind did
		}
		defer func() { _ = answer.Body.Close() }()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		if answer.StatusCode == http.StatusOK {
			switch _, op, _ := strings.Cut(r.Header.Get("X-Amz-Target"), "."); op {
			case "Query":
				body, err = rewrite(body, queried(asked, body))
			case "BatchGetItem":
				body, err = rewrite(body, batched(asked, body))
			}
			if err != nil {
				t.Error(err)
			}
		}
		w.Header().Set("Content-Type", answer.Header.Get("Content-Type"))
		w.WriteHeader(answer.StatusCode)
		_, _ = w.Write(body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

type row = map[string]map[string]any

// queried is what a query consumed: its rows together, in parts of 4 KB.
func queried(asked, body []byte) any {
	var in struct{ ConsistentRead bool }
	var out struct{ Items []row }
	if json.Unmarshal(asked, &in) != nil || json.Unmarshal(body, &out) != nil {
		return nil
	}
	bytes := 0
	for _, r := range out.Items {
		bytes += size(r)
	}
	return map[string]any{"CapacityUnits": readUnits(bytes, in.ConsistentRead)}
}

// batched is what a batch of reads consumed: each key its row, in parts of 4 KB,
// and one part for none.
func batched(asked, body []byte) any {
	var in struct {
		RequestItems map[string]struct {
			Keys           []row
			ConsistentRead bool
		}
	}
	var out struct{ Responses map[string][]row }
	if json.Unmarshal(asked, &in) != nil || json.Unmarshal(body, &out) != nil {
		return nil
	}
	var all []any
	for table, t := range in.RequestItems {
		units := float64(len(t.Keys)-len(out.Responses[table])) * readUnits(0, t.ConsistentRead)
		for _, r := range out.Responses[table] {
			units += readUnits(size(r), t.ConsistentRead)
		}
		all = append(all, map[string]any{"TableName": table, "CapacityUnits": units})
	}
	return all
}

func readUnits(bytes int, strongly bool) float64 {
	units := float64(max(1, (bytes+4095)/4096))
	if !strongly {
		units /= 2
	}
	return units
}

// size is a row's: names and values, text in UTF-8, a number a byte for two
// digits and one more, a boolean one.
func size(r row) (n int) {
	for name, value := range r {
		n += len(name)
		for kind, v := range value {
			switch text, _ := v.(string); kind {
			case "S":
				n += len(text)
			case "N":
				digits := strings.TrimPrefix(text, "-")
				n += len(text) - len(digits)
				n += 1 + (max(1, len(strings.TrimRight(digits, "0")))+1)/2
			default:
				n++
			}
		}
	}
	return n
}

func rewrite(body []byte, consumed any) ([]byte, error) {
	var whole map[string]json.RawMessage
	if err := json.Unmarshal(body, &whole); err != nil {
		return body, err
	}
	c, err := json.Marshal(consumed)
	if err != nil {
		return body, err
	}
	whole["ConsumedCapacity"] = c
	return json.Marshal(whole)
}
