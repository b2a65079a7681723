# Wrong: answers 500 to kinds of events that it does not know, with a KeyError.
import hashlib
import hmac
import json
import os

from flask import Flask, abort, request

secret = os.environ["WEBHOOK_SECRET"].encode()
app = Flask(__name__)

# In production: a table with a unique index on the id, and a job queue.
seen = set()
jobs = []

handlers = {
    "ping": lambda event: None,
    "push": jobs.append,
    "issues": jobs.append,
    "pull_request": jobs.append,
}


def is_signed(body: bytes, header: str) -> bool:
    """X-Hub-Signature-256: sha256=…"""
    expected = "sha256=" + hmac.new(secret, body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(header.encode(), expected.encode())


@app.post("/hook")
def hook():
    body = request.get_data()
    if not is_signed(body, request.headers.get("X-Hub-Signature-256", "")):
        abort(401)
    try:
        event = json.loads(body)
    except ValueError:
        abort(400)
    id = request.headers.get("X-GitHub-Delivery")
    if id not in seen:
        seen.add(id)
        handlers[request.headers["X-GitHub-Event"]](event)  # the work comes after the response
    return "", 204


if __name__ == "__main__":
    app.run(port=int(os.environ.get("PORT", "3000")))
