package calendar

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"

	"github.com/go-json-experiment/json"
)

// MaxFeed is the longest a feed is decoded to, in bytes of JSON.
const MaxFeed = 32 << 20

// Encode writes a feed compactly, to be stored: the same feed gives the same bytes.
func (f Feed) Encode() ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if err := json.MarshalWrite(w, f); err != nil {
		return nil, err
	}
	err = w.Close()
	return b.Bytes(), err
}

// Decode reads what Encode wrote.
func Decode(b []byte) (Feed, error) {
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return Feed{}, err
	}
	text, err := io.ReadAll(io.LimitReader(r, MaxFeed+1))
	if err != nil {
		return Feed{}, err
	}
	if len(text) > MaxFeed {
		return Feed{}, errors.New("calendar: the feed is too large")
	}
	var f Feed
	err = json.Unmarshal(text, &f)
	return f, err
}
