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
	"strconv"
	"strings"
	"sync"
	"time"
)

var secret = []byte(os.Getenv("WEBHOOK_SECRET"))

// In production: a table with a unique index on the id, and a job queue.
var seen sync.Map

// isSigned reads Stripe-Signature, t=…,v1=…: https://docs.stripe.com/webhooks#verify-manually
func isSigned(body []byte, header string) bool {
	var timestamp string
	var signatures [][]byte
	for _, item := range strings.Split(header, ",") {
		name, value, _ := strings.Cut(item, "=")
		if name == "t" {
			timestamp = value
		} else if signature, err := hex.DecodeString(value); name == "v1" && err == nil {
			signatures = append(signatures, signature)
		}
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if age := time.Since(time.Unix(seconds, 0)).Abs(); err != nil || age > 5*time.Minute {
		return false
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(timestamp + "."))
	mac.Write(body)
	for _, signature := range signatures {
		if hmac.Equal(signature, mac.Sum(nil)) {
			return true
		}
	}
	return false
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
	if !isSigned(body, r.Header.Get("Stripe-Signature")) {
		http.Error(w, "wrong signature", http.StatusUnauthorized)
		return
	}
	var event struct{ ID, Type string }
	if err := json.Unmarshal(body, &event); err != nil {
		http.Error(w, "not JSON", http.StatusBadRequest)
		return
	}
	if _, isKnown := seen.LoadOrStore(event.ID, true); !isKnown {
		// Put the event into a job queue here, whatever its type: the work comes after the response.
	}
	w.WriteHeader(http.StatusNoContent)
}

func main() {
	if len(secret) == 0 {
		log.Fatal("WEBHOOK_SECRET is not set")
	}
	http.HandleFunc("/hook", hook)
	log.Fatal(http.ListenAndServe(":"+os.Getenv("PORT"), nil))
}
