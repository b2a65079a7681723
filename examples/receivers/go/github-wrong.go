// Wrong: answers 429 without Retry-After when its queue is full.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"os"
	"sync"
	"time"
)

var secret = []byte(os.Getenv("WEBHOOK_SECRET"))

// In production: a table with a unique index on the id.
var seen sync.Map

var jobs = make(chan []byte, 8)

// isSigned reads X-Hub-Signature-256: sha256=…
func isSigned(body []byte, header string) bool {
	mac := hmac.New(sha256.New, secret)
	mac.Write(body)
	expected := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	return hmac.Equal([]byte(header), []byte(expected))
}

func hook(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		http.Error(w, "only POST", http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 25<<20))
	if err != nil {
		http.Error(w, "cannot read the body", http.StatusBadRequest)
		return
	}
	if !isSigned(body, r.Header.Get("X-Hub-Signature-256")) {
		http.Error(w, "wrong signature", http.StatusUnauthorized)
		return
	}
	var event struct{ Action string }
	if err := json.Unmarshal(body, &event); err != nil {
		http.Error(w, "not JSON", http.StatusBadRequest)
		return
	}
	id := r.Header.Get("X-GitHub-Delivery")
	if _, isKnown := seen.LoadOrStore(id, true); !isKnown {
		select {
		case jobs <- body:
		default:
			seen.Delete(id)
			http.Error(w, "too many events", http.StatusTooManyRequests)
			return
		}
	}
	w.WriteHeader(http.StatusNoContent)
}

func work() {
	for range jobs {
		time.Sleep(20 * time.Millisecond)
	}
}

func main() {
	if len(secret) == 0 {
		log.Fatal("WEBHOOK_SECRET is not set")
	}
	go work()
	http.HandleFunc("/hook", hook)
	log.Fatal(http.ListenAndServe(":"+os.Getenv("PORT"), nil))
}
