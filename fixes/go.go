// hook.go; in main: http.HandleFunc("/hook", hook)
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	// #if idInList
	"strconv"
	// #end
	// #if zoom
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"os"
	// #end
	// #if hasForms
	"net/url"
	"strings"
	// #end
)

{{verify}}

var seen sync.Map // in production: a table with a unique index, kept for days

func hook(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", "POST")
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	// #if url
	scheme := "http"
	if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
		scheme = "https"
	}
	if !isSigned(body, r.Header, scheme+"://"+r.Host+r.RequestURI) {
	// #else
	if !isSigned(body, r.Header) {
	// #end
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	// #if hasForms
	if strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		fields := map[string]string{}
		form, _ := url.ParseQuery(string(body))
		for name := range form {
			fields[name] = form.Get(name)
		}
		body, _ = json.Marshal(fields)
	}
	// #end
	if !json.Valid(body) { // only after the signature was verified
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	// #if challenge
	var asked struct{ Challenge string }
	if json.Unmarshal(body, &asked) == nil && asked.Challenge != "" {
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, asked.Challenge)
		return
	}
	// #end
	// #if zoom
	var asked struct {
		Event   string
		Payload struct{ PlainToken string }
	}
	if json.Unmarshal(body, &asked) == nil && asked.Event == "endpoint.url_validation" {
		mac := hmac.New(sha256.New, []byte(os.Getenv("WEBHOOK_SECRET")))
		mac.Write([]byte(asked.Payload.PlainToken))
		json.NewEncoder(w).Encode(map[string]string{
			"plainToken":     asked.Payload.PlainToken,
			"encryptedToken": hex.EncodeToString(mac.Sum(nil)),
		})
		return
	}
	// #end
	// #if batch
	var events []json.RawMessage
	if json.Unmarshal(body, &events) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	for _, event := range events {
		isRepeat := false
		if id := idOf(event, {{eventIdPath}}); id != "" {
			_, isRepeat = seen.LoadOrStore(id, true)
		}
		if !isRepeat {
			go handle(event)
		}
	}
	// #else
	// #if idHeaderOfEvent
	id := r.Header.Get("{{eventIdHeader}}")
	// #else
	id := idOf(body, {{eventIdPath}})
	// #end
	isRepeat := false
	if id != "" {
		_, isRepeat = seen.LoadOrStore(id, true)
	}
	if !isRepeat {
		go handle(body)
	}
	// #end
	w.WriteHeader(http.StatusNoContent) // also for a repeat, and for a type that is not known
}
// #if idPathOfEvent

// idOf returns the JSON of the id of an event; empty if it has none.
func idOf(event json.RawMessage, path ...string) string {
	for _, name := range path {
		// #if idInList
		if index, err := strconv.Atoi(name); err == nil {
			var items []json.RawMessage
			json.Unmarshal(event, &items)
			if index >= len(items) {
				return ""
			}
			event = items[index]
			continue
		}
		// #end
		var members map[string]json.RawMessage
		json.Unmarshal(event, &members) // has no members if it is no object
		event = members[name]
	}
	if string(event) == "null" {
		return ""
	}
	return string(event)
}
// #end

// handle works beside the response; in production: a queue.
func handle(event json.RawMessage) {
	fmt.Println(string(event))
}
