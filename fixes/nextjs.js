// app/hook/route.js
// #if zoom
import { createHmac } from 'node:crypto';
// #end
import { after } from 'next/server';

{{verify}}

const seen = new Set(); // in production: a table with a unique index, kept for days

export async function POST(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.length;
    if (size > 1_048_576) return new Response(null, { status: 413 });
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks); // the bytes that were signed, not request.json()
  const header = (name) => request.headers.get(name) ?? '';
  // #if url
  const { pathname, search } = new URL(request.url);
  const url = `${header('x-forwarded-proto') || 'http'}://${header('host')}${pathname}${search}`;
  if (!isSigned(body, header, url)) return new Response(null, { status: 401 });
  // #else
  if (!isSigned(body, header)) return new Response(null, { status: 401 });
  // #end

  let event;
  try {
    // #if hasForms
    event = header('content-type').startsWith('application/x-www-form-urlencoded')
      ? Object.fromEntries(new URLSearchParams(body.toString()))
      : JSON.parse(body.toString());
    // #else
    event = JSON.parse(body.toString()); // only after the signature was verified
    // #end
  } catch {
    return new Response(null, { status: 400 });
  }
  // #if challenge
  if (event?.challenge)
    return new Response(event.challenge, { headers: { 'Content-Type': 'text/plain' } });
  // #end
  // #if zoom
  if (event?.event === 'endpoint.url_validation') {
    const { plainToken } = event.payload;
    const mac = createHmac('sha256', secrets[0]).update(plainToken).digest('hex');
    return Response.json({ plainToken, encryptedToken: mac });
  }
  // #end
  // #if batch
  if (!Array.isArray(event)) return new Response(null, { status: 400 });
  const fresh = event.filter((event) => {
    const eventId = {{eventId}};
    const isRepeat = seen.has(eventId);
    if (eventId) seen.add(eventId); // an event without an id is no repeat
    return !isRepeat;
  });
  for (const one of fresh) after(() => handle(one));
  // #else
  const eventId = {{eventId}};
  const isRepeat = seen.has(eventId);
  if (eventId) seen.add(eventId); // an event without an id is no repeat
  if (!isRepeat) after(() => handle(event));
  // #end
  return new Response(null, { status: 204 }); // also for a type that is not known
}

// Works after the response; in production: a queue.
async function handle(event) {
  console.log(event);
}
