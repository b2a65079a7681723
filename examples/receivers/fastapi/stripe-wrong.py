# Wrong: a model that forbids unknown fields. Stripe adds fields at any time: all events are then refused.
import hashlib
import hmac
import json
import os
import time

import uvicorn
from fastapi import FastAPI, HTTPException, Request, Response
from pydantic import BaseModel

secret = os.environ["WEBHOOK_SECRET"].encode()
app = FastAPI()

# In production: a table with a unique index on the id, and a job queue.
seen = set()
jobs = []


class StripeEvent(BaseModel, extra="forbid"):
    id: str
    object: str
    api_version: str
    created: int
    data: dict
    livemode: bool
    pending_webhooks: int
    request: dict
    type: str


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
async def hook(request: Request):
    body = await request.body()
    if not is_signed(body, request.headers.get("stripe-signature", "")):
        raise HTTPException(401)
    try:
        event = StripeEvent(**json.loads(body))
    except ValueError:
        raise HTTPException(400)
    if event.id not in seen:
        seen.add(event.id)
        jobs.append(event)  # whatever its type: the work comes after the response
    return Response(status_code=204)


if __name__ == "__main__":
    uvicorn.run(app, port=int(os.environ.get("PORT", "3000")))
