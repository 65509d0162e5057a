package access

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"io"
)

// Seal encrypts a text for one purpose, bound to what it is about, by the first
// master's key: the kid, 12 bytes of randomness and AES-GCM of the text.
func (k *Keyring) Seal(random io.Reader, purpose, about string, text []byte) (string, error) {
	kid, gcm := k.sealer(0, purpose)
	nonce := make([]byte, gcm.NonceSize())
	if _, err := io.ReadFull(random, nonce); err != nil {
		return "", err
	}
	out := append(kid, nonce...)
	return tokenText.EncodeToString(gcm.Seal(out, nonce, text, []byte(about))), nil
}

// Unseal reads what a key of the ring has sealed for the same purpose, about
// the same.
func (k *Keyring) Unseal(purpose, about, sealed string) (text []byte, ok bool) {
	b, err := tokenText.DecodeString(sealed)
	if err != nil {
		return nil, false
	}
	for n := range k.masters {
		kid, gcm := k.sealer(n, purpose)
		head := len(kid) + gcm.NonceSize()
		if len(b) < head || string(b[:len(kid)]) != string(kid) {
			continue
		}
		if text, err := gcm.Open(nil, b[len(kid):head], b[head:], []byte(about)); err == nil {
			return text, true
		}
	}
	return nil, false
}

// sealer is a master's cipher for a purpose, and the name of its key.
func (k *Keyring) sealer(n int, purpose string) (kid []byte, gcm cipher.AEAD) {
	block, err := aes.NewCipher(derive(k.masters[n], "pocbakery seal "+purpose, sha256.Size))
	if err == nil {
		gcm, err = cipher.NewGCM(block)
	}
	if err != nil {
		panic("access: " + err.Error()) // a key of 32 bytes always makes one
	}
	return derive(k.masters[n], "pocbakery seal kid "+purpose, kidBytes), gcm
}
