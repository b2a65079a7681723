# #if base64Signature
import base64
# #end
# #if base64Key
import base64
# #end
# #if hmac
import hmac
# #end
import os
# #if timePattern
import re
# #end
# #if ed25519
import base64
import re
# #end
# #if judgesSeconds
import time
# #end
# #if judgesMs
import time
# #end
# #if judgesIso
import time
from datetime import datetime
# #end
# #if ed25519
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
# #end

# #if ed25519
# Public keys (whpk_…): the current one, and the previous one during a rotation.
# #else
# The current secret, and the previous one during a rotation.
# #end
SECRETS = [os.environ.get(name) for name in ("WEBHOOK_SECRET", "WEBHOOK_SECRET_OLD")]


# Whether the signature is right: by {{scheme}}, with one of the secrets.
# #if url
def is_signed(body, header, url):
# #else
def is_signed(body, header):
# #end
    # #if id
    message_id = header("{{idHeader}}")
    # #end
    # #if timeHeader
    sent_at = header("{{timeHeader}}")
    # #end
    # #if timePattern
    found = re.search(r"{{timePattern}}", header("{{header}}"))
    sent_at = found[1] if found else ""
    # #end
    # #if judgesSeconds
    if not sent_at.isdecimal() or abs(time.time() - float(sent_at)) > {{tolerance}}:  # seconds
        return False
    # #end
    # #if judgesMs
    if not sent_at.isdecimal() or abs(time.time() - float(sent_at) / 1000) > {{tolerance}}:  # seconds
        return False
    # #end
    # #if judgesIso
    try:
        sent = datetime.fromisoformat(sent_at.replace("Z", "+00:00")).timestamp()
    except (ValueError, OverflowError):
        return False
    if abs(time.time() - sent) > {{tolerance}}:  # seconds
        return False
    # #end
    # #if list
    given = header("{{header}}").split("{{separator}}")
    # #end
    # #if two
    given = [header("{{header}}"), header("{{secondHeader}}")]
    # #end
    # #if one
    given = [header("{{header}}")]
    # #end
    # #if computesContent
    content = {{content}}
    # #end
    for secret in filter(None, SECRETS):
        # #if ed25519
        raw = base64.b64decode(secret.removeprefix("whpk_") + "==")
        key = Ed25519PublicKey.from_public_bytes(raw)
        for one in given:
            found = re.search(r"{{itemPattern}}", one)
            try:
                # #if base64Signature
                key.verify(base64.b64decode(found[1] if found else ""), {{contentName}})
                # #else
                key.verify(bytes.fromhex(found[1] if found else ""), {{contentName}})
                # #end
                return True
            except (InvalidSignature, ValueError):
                continue
        # #else
        # #if base64Key
        key = base64.b64decode(secret.removeprefix("{{prefix}}") + "==")
        # #end
        # #if prefixedKey
        key = secret.removeprefix("{{prefix}}").encode()
        # #end
        # #if plainKey
        key = secret.encode()
        # #end
        # #if base64Signature
        signature = base64.b64encode(hmac.digest(key, {{contentName}}, "{{digest}}")).decode()
        # #else
        signature = hmac.digest(key, {{contentName}}, "{{digest}}").hex()
        # #end
        right = {{right}}
        if any(hmac.compare_digest(one.encode(), right.encode()) for one in given):
            return True
        # #end
    return False
