package access

import (
	"crypto/rand"
	"testing"
)

func TestWhatIsSealedIsReadForItsPurposeAndWhatItIsAboutAlone(t *testing.T) {
	before, k := NewKeyring(oldMaster), NewKeyring(newMaster, oldMaster)
	sealed, err := before.Seal(rand.Reader, "sign-in", "anna", []byte("a verifier"))
	if err != nil {
		t.Fatal(err)
	}
	if text, ok := k.Unseal("sign-in", "anna", sealed); !ok || string(text) != "a verifier" {
		t.Errorf("%q %v", text, ok)
	}
	again, _ := before.Seal(rand.Reader, "sign-in", "anna", []byte("a verifier"))
	if again == sealed {
		t.Error("sealed twice and the same")
	}
	for _, c := range [][3]string{{"calendar", "anna", sealed}, {"sign-in", "olle", sealed}, {"sign-in", "anna", ""}, {"sign-in", "anna", sealed + "AAAA"}, {"sign-in", "anna", "AAAA"}} {
		if text, ok := k.Unseal(c[0], c[1], c[2]); ok {
			t.Errorf("%v was read as %q", c, text)
		}
	}
	for i := range sealed {
		forged := []byte(sealed)
		forged[i] ^= 1
		if _, ok := k.Unseal("sign-in", "anna", string(forged)); ok {
			t.Errorf("character %d may be another", i)
		}
	}
	if _, ok := NewKeyring(newMaster).Unseal("sign-in", "anna", sealed); ok {
		t.Error("a master that was taken away")
	}
}
