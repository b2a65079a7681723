import base64
import hmac
import json
import os
import time

from flask import Flask, abort, request

secret = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
app = Flask(__name__)

# In production: a table with a unique index on the id, and a job queue.
seen = set()
jobs = []


def is_signed(body: bytes, id: str, timestamp: str, signatures: str) -> bool:
    """The same as Webhook(secret).verify of the package standardwebhooks."""
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > 300:
        return False
    digest = hmac.digest(secret, f"{id}.{timestamp}.".encode() + body, "sha256")
    expected = b"v1," + base64.b64encode(digest)
    return any(hmac.compare_digest(one.encode(), expected) for one in signatures.split(" "))


@app.post("/hook")
def hook():
    body = request.get_data()
    id = request.headers.get("webhook-id", "")
    timestamp = request.headers.get("webhook-timestamp", "")
    if not is_signed(body, id, timestamp, request.headers.get("webhook-signature", "")):
        abort(401)
    try:
        event = json.loads(body)
    except ValueError:
        abort(400)
    if id not in seen:
        seen.add(id)
        jobs.append(event)  # whatever its type: the work comes after the response
    return "", 204


if __name__ == "__main__":
    app.run(port=int(os.environ.get("PORT", "3000")))
