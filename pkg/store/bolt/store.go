// Package bolt keeps the table in one file of this machine, with bbolt. It is
// the table of a local run and of tests.
//
// # Who writes
//
// One goroutine, the committer, started by Open and ended by Close. Writers
// queue; it takes all that are queued into one bbolt transaction, syncs the
// file once and answers each. It never waits for more to come: a lone writer
// pays one sync, thirty-two at once share one. Each commit sees those before
// it in the queue; one that fails its guard leaves nothing behind and does not
// touch the others. A batch that wrote nothing is not synced.
//
// # Promises
//
//  1. What was answered is on the disk (fsync), and every read that begins
//     after the answer sees it.
//  2. A commit whose context ends before the committer takes it up was not
//     applied and never will be: ErrUnavailable. From then on the caller gets
//     the truth, however long the sync takes.
//  3. If the disk refuses the sync, the commits of that batch are ErrUnknown.
//  4. The indexes agree with the items in every state of the file, since they
//     change in one bbolt transaction.
//  5. One process has the file. A second one is refused by Open.
package bolt

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"pocbakery/pkg/store"
)

// fileFormat stands in the file: a bolt file without it is somebody else's.
const fileFormat = "pocbakery table 1"

// lockWait is how long Open waits for another process to let go of the file.
const lockWait = 500 * time.Millisecond

// What Open can fail of, besides the operating system.
var (
	ErrInUse   = errors.New("bolt: another process holds the data folder")
	ErrForeign = errors.New("bolt: not a data file of this program")
)

// Store is a table in a file. Any number of goroutines may use it.
type Store struct {
	db    *bbolt.DB
	meter *store.Meter
	cache *cache
	queue queue
}

var _ store.Store = (*Store)(nil)

// Open opens the file, or makes it (not its folder). The meter may be nil.
func Open(path string, meter *store.Meter) (*Store, error) {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{
		Timeout: lockWait,
		// The list of free pages is found again by walking the tree at Open,
		// so that a commit need not write it.
		NoFreelistSync: true,
		FreelistType:   bbolt.FreelistMapType,
		// Address space, not memory: as long as the file is smaller, growing
		// it need not wait for readers.
		InitialMmapSize: 256 << 20,
		NoStatistics:    true,
	})
	if err != nil {
		return nil, openError(path, err)
	}
	if err := db.Update(prepare); err != nil {
		_ = db.Close()
		return nil, openError(path, err)
	}
	s := &Store{db: db, meter: meter, cache: newCache()}
	s.queue.init()
	go s.commitAll()
	return s, nil
}

// prepare makes the buckets of a new file and refuses a file of another kind.
func prepare(tx *bbolt.Tx) error {
	meta := tx.Bucket(bucketMeta)
	if meta == nil {
		if name, _ := tx.Cursor().First(); name != nil {
			return ErrForeign
		}
		for _, name := range [][]byte{bucketMeta, bucketItems, bucketDue, bucketWake, bucketTTL, bucketHubs} {
			if _, err := tx.CreateBucket(name); err != nil {
				return err
			}
		}
		return tx.Bucket(bucketMeta).Put([]byte("format"), []byte(fileFormat))
	}
	if string(meta.Get([]byte("format"))) != fileFormat {
		return ErrForeign
	}
	return nil
}

func openError(path string, err error) error {
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return fmt.Errorf("%w (%s)", ErrInUse, path)
	case errors.Is(err, ErrForeign):
		return fmt.Errorf("%w (%s)", ErrForeign, path)
	case errors.As(err, new(*fs.PathError)), errors.As(err, new(syscall.Errno)):
		return fmt.Errorf("bolt: cannot open the data file: %w", err)
	}
	// What is left are bbolt's ways of saying that it cannot read the file.
	return fmt.Errorf("%w (%s): %w", ErrForeign, path, err)
}

// Close applies what is queued, ends the committer and lets go of the file.
// What is asked afterwards is ErrUnavailable. A second Close does nothing.
func (s *Store) Close() error {
	s.queue.close()
	<-s.queue.drained
	return s.db.Close()
}

// View runs fn on the file as it is, for those who keep a bucket of their own
// beside the table.
func (s *Store) View(fn func(*bbolt.Tx) error) error {
	return closedError(s.db.View(fn))
}

// closedError says ErrUnavailable of a file that was closed.
func closedError(err error) error {
	if errors.Is(err, berrors.ErrDatabaseNotOpen) {
		return fmt.Errorf("%w: the data file is closed", store.ErrUnavailable)
	}
	return err
}
