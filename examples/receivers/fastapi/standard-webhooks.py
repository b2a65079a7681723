import base64
import hmac
import json
import os
import time

import uvicorn
from fastapi import FastAPI, HTTPException, Request, Response

secret = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
app = FastAPI()

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
async def hook(request: Request):
    body = await request.body()
    id = request.headers.get("webhook-id", "")
    timestamp = request.headers.get("webhook-timestamp", "")
    if not is_signed(body, id, timestamp, request.headers.get("webhook-signature", "")):
        raise HTTPException(401)
    try:
        event = json.loads(body)
    except ValueError:
        raise HTTPException(400)
    if id not in seen:
        seen.add(id)
        jobs.append(event)  # whatever its type: the work comes after the response
    return Response(status_code=204)


if __name__ == "__main__":
    uvicorn.run(app, port=int(os.environ.get("PORT", "3000")))
