import base64
import hashlib
import hmac
import os
import re
from urllib.parse import parse_qs, parse_qsl, urlsplit

# The current secret, and the previous one during a rotation.
SECRETS = [os.environ.get(name) for name in ("WEBHOOK_SECRET", "WEBHOOK_SECRET_OLD")]


# Whether the signature is right: Twilio signs the URL and the sorted fields of a form.
def is_signed(body, header, url):
    given = header("{{header}}").encode()
    digest = parse_qs(urlsplit(url).query).get("bodySHA256")  # of a body that is no form
    fields = ""
    if digest is None:
        form = parse_qsl(body.decode(errors="replace"), keep_blank_values=True)
        fields = "".join(name + value for name, value in sorted(set(form)))
    elif digest != [hashlib.sha256(body).hexdigest()]:
        return False
    for secret in filter(None, SECRETS):
        for one in (url, re.sub(r"^(https?://[^/:]+):\d+", r"\1", url)):  # maybe without a port
            right = hmac.digest(secret.encode(), (one + fields).encode(), "sha1")
            if hmac.compare_digest(given, base64.b64encode(right)):
                return True
    return False
