import json
# #if hasForms
from urllib.parse import parse_qsl
# #end
from fastapi import BackgroundTasks, Request, Response
# #if zoom
import hmac
from fastapi.responses import JSONResponse
# #end

{{verify}}


seen = set()  # in production: a table with a unique index, kept for days


@app.post("/hook")
async def hook(request: Request, background: BackgroundTasks):
    body = b""  # the bytes that were signed, not a model
    async for chunk in request.stream():
        body += chunk
        if len(body) > 1_048_576:
            return Response(status_code=413)
    # #if url
    # Behind a proxy that ends TLS: uvicorn --proxy-headers
    if not is_signed(body, lambda name: request.headers.get(name, ""), str(request.url)):
    # #else
    if not is_signed(body, lambda name: request.headers.get(name, "")):
    # #end
        return Response(status_code=401)
    try:
        # #if hasForms
        if request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
            event = dict(parse_qsl(body.decode(), keep_blank_values=True))
        else:
            event = json.loads(body)
        # #else
        event = json.loads(body)  # only after the signature was verified
        # #end
    except (ValueError, RecursionError):
        return Response(status_code=400)
    # #if challenge
    if isinstance(event, dict) and "challenge" in event:
        return Response(event["challenge"], media_type="text/plain")
    # #end
    # #if zoom
    if isinstance(event, dict) and event.get("event") == "endpoint.url_validation":
        token = event["payload"]["plainToken"]
        mac = hmac.digest(SECRETS[0].encode(), token.encode(), "sha256").hex()
        return JSONResponse({"plainToken": token, "encryptedToken": mac})
    # #end
    # #if batch
    if not isinstance(event, list):
        return Response(status_code=400)
    for one in event:
        event_id = id_of(one)
        if event_id is None or event_id not in seen:
            seen.add(event_id)
            background.add_task(handle, one)
    # #else
    # #if idHeaderOfEvent
    event_id = request.headers.get("{{eventIdHeader}}")
    # #else
    event_id = id_of(event)
    # #end
    if event_id is None or event_id not in seen:
        seen.add(event_id)
        background.add_task(handle, event)
    # #end
    return Response(status_code=204)  # also for a type that is not known
# #if idPathOfEvent


def id_of(event):
    try:
        for name in {{eventIdPath}}:
            event = event[name]
    except (LookupError, TypeError):  # an event without an id is no repeat
        return None
    return None if event is None else str(event)
# #end


# Works after the response; in production: a queue.
def handle(event):
    print(event)
