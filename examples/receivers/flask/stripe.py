import hashlib
import hmac
import json
import os
import time

from flask import Flask, abort, request

secret = os.environ["WEBHOOK_SECRET"].encode()
app = Flask(__name__)

# In production: a table with a unique index on the id, and a job queue.
seen = set()
jobs = []


def is_signed(body: bytes, header: str) -> bool:
    """Stripe-Signature: t=…,v1=…; https://docs.stripe.com/webhooks#verify-manually"""
    items = [item.partition("=")[::2] for item in header.split(",")]
    timestamp = dict(items).get("t", "")
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > 300:
        return False
    expected = hmac.new(secret, f"{timestamp}.".encode() + body, hashlib.sha256).hexdigest()
    return any(
        name == "v1" and hmac.compare_digest(value.encode(), expected.encode())
        for name, value in items
    )


@app.post("/hook")
def hook():
    body = request.get_data()
    if not is_signed(body, request.headers.get("Stripe-Signature", "")):
        abort(401)
    try:
        event = json.loads(body)
    except ValueError:
        abort(400)
    if event["id"] not in seen:
        seen.add(event["id"])
        jobs.append(event)  # whatever its type: the work comes after the response
    return "", 204


if __name__ == "__main__":
    app.run(port=int(os.environ.get("PORT", "3000")))
