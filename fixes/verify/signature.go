import (
	// #if hmac
	"crypto/hmac"
	"crypto/{{digest}}"
	// #end
	// #if ed25519
	"crypto/ed25519"
	"encoding/base64"
	"regexp"
	"strings"
	// #end
	// #if base64Signature
	"encoding/base64"
	// #end
	// #if base64Key
	"encoding/base64"
	"strings"
	// #end
	// #if hexSignature
	"encoding/hex"
	// #end
	"net/http"
	"os"
	// #if timePattern
	"regexp"
	// #end
	// #if judgesSeconds
	"strconv"
	"time"
	// #end
	// #if judgesMs
	"strconv"
	"time"
	// #end
	// #if judgesIso
	"time"
	// #end
	// #if list
	"strings"
	// #end
	// #if prefixedKey
	"strings"
	// #end
)

// isSigned says whether a request is signed as {{scheme}} says, with one of the secrets.
// #if url
func isSigned(body []byte, header http.Header, url string) bool {
// #else
func isSigned(body []byte, header http.Header) bool {
// #end
	// #if id
	id := header.Get("{{idHeader}}")
	// #end
	// #if timeHeader
	sentAt := header.Get("{{timeHeader}}")
	// #end
	// #if timePattern
	sentAt := ""
	if found := regexp.MustCompile(`{{timePattern}}`).FindStringSubmatch(header.Get("{{header}}")); found != nil {
		sentAt = found[1]
	}
	// #end
	// #if judgesSeconds
	seconds, err := strconv.ParseInt(sentAt, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs().Seconds() > {{tolerance}} {
		return false
	}
	// #end
	// #if judgesMs
	milliseconds, err := strconv.ParseInt(sentAt, 10, 64)
	if err != nil || time.Since(time.UnixMilli(milliseconds)).Abs().Seconds() > {{tolerance}} {
		return false
	}
	// #end
	// #if judgesIso
	sent, err := time.Parse(time.RFC3339, sentAt)
	if err != nil || time.Since(sent).Abs().Seconds() > {{tolerance}} {
		return false
	}
	// #end
	// #if list
	given := strings.Split(header.Get("{{header}}"), "{{separator}}")
	// #end
	// #if two
	given := []string{header.Get("{{header}}"), header.Get("{{secondHeader}}")}
	// #end
	// #if one
	given := []string{header.Get("{{header}}")}
	// #end
	// #if computesContent
	content := []byte({{content}})
	// #end
	for _, name := range []string{"WEBHOOK_SECRET", "WEBHOOK_SECRET_OLD"} { // the previous one during a rotation
		secret := os.Getenv(name)
		if secret == "" {
			continue
		}
		// #if ed25519
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whpk_")) // a public key
		if err != nil || len(key) != ed25519.PublicKeySize {
			return false
		}
		for _, one := range given {
			found := regexp.MustCompile(`{{itemPattern}}`).FindStringSubmatch(one)
			if found == nil {
				continue
			}
			// #if base64Signature
			signature, err := base64.StdEncoding.DecodeString(found[1])
			// #else
			signature, err := hex.DecodeString(found[1])
			// #end
			if err == nil && ed25519.Verify(key, {{contentName}}, signature) {
				return true
			}
		}
		// #else
		// #if base64Key
		key, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(strings.TrimPrefix(secret, "{{prefix}}"), "="))
		if err != nil {
			return false
		}
		mac := hmac.New({{digest}}.New, key)
		// #end
		// #if prefixedKey
		mac := hmac.New({{digest}}.New, []byte(strings.TrimPrefix(secret, "{{prefix}}")))
		// #end
		// #if plainKey
		mac := hmac.New({{digest}}.New, []byte(secret))
		// #end
		mac.Write({{contentName}})
		// #if base64Signature
		signature := base64.StdEncoding.EncodeToString(mac.Sum(nil))
		// #else
		signature := hex.EncodeToString(mac.Sum(nil))
		// #end
		for _, one := range given {
			if hmac.Equal([]byte(one), []byte({{right}})) {
				return true
			}
		}
		// #end
	}
	return false
}
