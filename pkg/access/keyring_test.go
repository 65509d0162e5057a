package access

import (
	"sync"
	"testing"
)

func TestWhatIsHashedForOnePurposeIsWorthNothingForAnother(t *testing.T) {
	k := NewKeyring(oldMaster)
	seen := map[[32]byte]string{}
	for name, mac := range map[string][32]byte{
		"order a b": k.MAC("order", "a", "b"), "order ab": k.MAC("order", "ab"), "order ab and nothing": k.MAC("order", "ab", ""),
		"order": k.MAC("order"), "advance a b": k.MAC("advance", "a", "b"), "another master": NewKeyring(newMaster).MAC("order", "a", "b"),
	} {
		if other, ok := seen[mac]; ok {
			t.Errorf("%s and %s are one", name, other)
		}
		seen[mac] = name
	}
	if k.MAC("order", "a", "b") != NewKeyring(oldMaster, newMaster).MAC("order", "a", "b") {
		t.Error("the same under the same first master, and it is not")
	}
}

func TestARingIsSafeForManyAtOnce(t *testing.T) {
	k := NewKeyring(oldMaster)
	want := NewKeyring(oldMaster).MAC("order", "a")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				if k.MAC("order", "a") != want {
					t.Error("another hash")
				}
			}
		})
	}
	wg.Wait()
}

func TestAMasterThatIsNoSecretIsRefused(t *testing.T) {
	for name, masters := range map[string][][]byte{"none": nil, "a short one": {[]byte("secret")}, "a short old one": {newMaster, []byte("secret")}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s was taken", name)
				}
			}()
			NewKeyring(masters...)
		}()
	}
}

func BenchmarkMAC(b *testing.B) {
	k := NewKeyring(oldMaster)
	b.ReportAllocs()
	for b.Loop() {
		k.MAC("order", "a2b3c4d5e6f7g2h3i4j5k6l7m2", "0f8fad5b-d9cb-469f-a165-70867728950e")
	}
}
