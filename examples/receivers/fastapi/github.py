import hashlib
import hmac
import json
import os

import uvicorn
from fastapi import FastAPI, HTTPException, Request, Response

secret = os.environ["WEBHOOK_SECRET"].encode()
app = FastAPI()

# In production: a table with a unique index on the id, and a job queue.
seen = set()
jobs = []


def is_signed(body: bytes, header: str) -> bool:
    """X-Hub-Signature-256: sha256=…"""
    expected = "sha256=" + hmac.new(secret, body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(header.encode(), expected.encode())


@app.post("/hook")
async def hook(request: Request):
    body = await request.body()
    if not is_signed(body, request.headers.get("x-hub-signature-256", "")):
        raise HTTPException(401)
    try:
        event = json.loads(body)
    except ValueError:
        raise HTTPException(400)
    id = request.headers.get("x-github-delivery")
    if id not in seen:
        seen.add(id)
        jobs.append(event)  # whatever its kind: the work comes after the response
    return Response(status_code=204)


if __name__ == "__main__":
    uvicorn.run(app, port=int(os.environ.get("PORT", "3000")))
