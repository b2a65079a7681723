import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"sort"
)

// isSigned says whether a request is signed as Twilio says: the URL, and the sorted fields of a form.
func isSigned(body []byte, header http.Header, address string) bool {
	parsed, err := url.Parse(address)
	if err != nil {
		return false
	}
	fields := ""
	if query := parsed.Query(); query.Has("bodySHA256") { // of a body that is no form
		digest := sha256.Sum256(body)
		if query.Get("bodySHA256") != hex.EncodeToString(digest[:]) {
			return false
		}
	} else if form, err := url.ParseQuery(string(body)); err != nil {
		return false
	} else {
		fields = fieldsOf(form)
	}
	withoutPort := regexp.MustCompile(`^(https?://[^/:]+):\d+`).ReplaceAllString(address, "$1")
	for _, name := range []string{"WEBHOOK_SECRET", "WEBHOOK_SECRET_OLD"} { // the previous one during a rotation
		secret := os.Getenv(name)
		for _, one := range []string{address, withoutPort} {
			mac := hmac.New(sha1.New, []byte(secret))
			mac.Write([]byte(one + fields))
			right := base64.StdEncoding.EncodeToString(mac.Sum(nil))
			if secret != "" && hmac.Equal([]byte(header.Get("{{header}}")), []byte(right)) {
				return true
			}
		}
	}
	return false
}

func fieldsOf(form url.Values) string {
	names := []string{}
	for name := range form {
		names = append(names, name)
	}
	sort.Strings(names)
	fields := ""
	for _, name := range names {
		values := form[name]
		sort.Strings(values)
		for i, value := range values {
			if i == 0 || value != values[i-1] {
				fields += name + value
			}
		}
	}
	return fields
}
