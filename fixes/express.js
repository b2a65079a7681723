// #if zoom
import { createHmac } from 'node:crypto';
// #end
import express from 'express';

{{verify}}

const seen = new Set(); // in production: a table with a unique index, kept for days

// Above app.use(express.json()), which would leave no bytes to verify.
const rawBody = express.raw({ type: () => true, limit: '1mb' });
app.post('/hook', rawBody, (req, res) => {
  const body = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
  const header = (name) => req.get(name) ?? '';
  // #if url
  // Behind a proxy that ends TLS: app.set('trust proxy', 1)
  const url = `${req.protocol}://${req.get('host')}${req.originalUrl}`;
  if (!isSigned(body, header, url)) return res.sendStatus(401);
  // #else
  if (!isSigned(body, header)) return res.sendStatus(401);
  // #end

  let event;
  try {
    // #if hasForms
    event = req.is('urlencoded')
      ? Object.fromEntries(new URLSearchParams(body.toString()))
      : JSON.parse(body.toString());
    // #else
    event = JSON.parse(body.toString()); // only after the signature was verified
    // #end
  } catch {
    return res.sendStatus(400);
  }
  // #if challenge
  if (event?.challenge) return res.type('text/plain').send(event.challenge);
  // #end
  // #if zoom
  if (event?.event === 'endpoint.url_validation') {
    const { plainToken } = event.payload;
    const mac = createHmac('sha256', secrets[0]).update(plainToken).digest('hex');
    return res.json({ plainToken, encryptedToken: mac });
  }
  // #end
  // #if batch
  if (!Array.isArray(event)) return res.sendStatus(400);
  const fresh = event.filter((event) => {
    const eventId = {{eventId}};
    const isRepeat = seen.has(eventId);
    if (eventId) seen.add(eventId); // an event without an id is no repeat
    return !isRepeat;
  });
  res.sendStatus(204); // also for repeats, and for types that are not known
  for (const one of fresh) handle(one).catch(console.error);
  // #else
  const eventId = {{eventId}};
  const isRepeat = seen.has(eventId);
  if (eventId) seen.add(eventId); // an event without an id is no repeat
  res.sendStatus(204); // also for a repeat, and for a type that is not known
  if (!isRepeat) handle(event).catch(console.error);
  // #end
});

// Works after the response; in production: a queue.
async function handle(event) {
  console.log(event);
}
