# #if zoom
import hmac
# #end
import json
from threading import Lock, Thread
# #if hasForms
from urllib.parse import parse_qsl
# #end
from flask import request

{{verify}}


seen = set()  # in production: a table with a unique index, kept for days
lock = Lock()

app.config["MAX_CONTENT_LENGTH"] = 1_048_576  # of all routes


@app.post("/hook")
def hook():
    body = request.get_data()  # the bytes that were signed, before request.json and request.form
    # #if url
    # Behind a proxy that ends TLS: werkzeug.middleware.proxy_fix.ProxyFix
    url = f"{request.base_url}?{request.query_string.decode()}".rstrip("?")
    if not is_signed(body, lambda name: request.headers.get(name, ""), url):
    # #else
    if not is_signed(body, lambda name: request.headers.get(name, "")):
    # #end
        return "", 401
    try:
        # #if hasForms
        if request.mimetype == "application/x-www-form-urlencoded":
            event = dict(parse_qsl(body.decode(), keep_blank_values=True))
        else:
            event = json.loads(body)
        # #else
        event = json.loads(body)  # only after the signature was verified
        # #end
    except (ValueError, RecursionError):
        return "", 400
    # #if challenge
    if isinstance(event, dict) and "challenge" in event:
        return event["challenge"], 200, {"Content-Type": "text/plain"}
    # #end
    # #if zoom
    if isinstance(event, dict) and event.get("event") == "endpoint.url_validation":
        token = event["payload"]["plainToken"]
        mac = hmac.digest(SECRETS[0].encode(), token.encode(), "sha256").hex()
        return {"plainToken": token, "encryptedToken": mac}
    # #end
    # #if batch
    if not isinstance(event, list):
        return "", 400
    for one in event:
        event_id = id_of(one)
        with lock:
            is_new = event_id is None or event_id not in seen
            seen.add(event_id)
        if is_new:
            Thread(target=handle, args=[one]).start()
    # #else
    # #if idHeaderOfEvent
    event_id = request.headers.get("{{eventIdHeader}}")
    # #else
    event_id = id_of(event)
    # #end
    with lock:
        is_new = event_id is None or event_id not in seen
        seen.add(event_id)
    if is_new:
        Thread(target=handle, args=[event]).start()
    # #end
    return "", 204  # also for a repeat, and for a type that is not known
# #if idPathOfEvent


def id_of(event):
    try:
        for name in {{eventIdPath}}:
            event = event[name]
    except (LookupError, TypeError):  # an event without an id is no repeat
        return None
    return None if event is None else str(event)
# #end


# Works beside the response; in production: a queue.
def handle(event):
    print(event)
