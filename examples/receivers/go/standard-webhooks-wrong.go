// Wrong: tells the expected signature to whoever has sent a wrong one.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

var secret, _ = base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("WEBHOOK_SECRET"), "whsec_"))

// In production: a table with a unique index on the id, and a job queue.
var seen sync.Map

// verify does the same as Verify of github.com/standard-webhooks/standard-webhooks/libraries/go.
func verify(body []byte, id, timestamp, signatures string) error {
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if age := time.Since(time.Unix(seconds, 0)).Abs(); err != nil || age > 5*time.Minute {
		return errors.New("the timestamp is too old, too new, or missing")
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, signature := range strings.Split(signatures, " ") {
		if hmac.Equal([]byte(signature), []byte(expected)) {
			return nil
		}
	}
	return fmt.Errorf("wrong signature %q: expected %q", signatures, expected)
}

func hook(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		http.Error(w, "only POST", http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		http.Error(w, "cannot read the body", http.StatusBadRequest)
		return
	}
	id, timestamp := r.Header.Get("webhook-id"), r.Header.Get("webhook-timestamp")
	if err := verify(body, id, timestamp, r.Header.Get("webhook-signature")); err != nil {
		http.Error(w, err.Error(), http.StatusUnauthorized)
		return
	}
	var event struct{ Type string }
	if err := json.Unmarshal(body, &event); err != nil {
		http.Error(w, "not JSON", http.StatusBadRequest)
		return
	}
	if _, isKnown := seen.LoadOrStore(id, true); !isKnown {
		// Put the event into a job queue here, whatever its type: the work comes after the response.
	}
	w.WriteHeader(http.StatusNoContent)
}

func main() {
	if len(secret) == 0 {
		log.Fatal("WEBHOOK_SECRET is not set, or not Base64")
	}
	http.HandleFunc("/hook", hook)
	log.Fatal(http.ListenAndServe(":"+os.Getenv("PORT"), nil))
}
