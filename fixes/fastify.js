// #if zoom
import { createHmac } from 'node:crypto';
// #end

{{verify}}

const seen = new Set(); // in production: a table with a unique index, kept for days

app.register(async (hooks) => {
  // The bytes that were signed, whatever their type; only for the routes in here.
  hooks.removeAllContentTypeParsers();
  const options = { parseAs: 'buffer', bodyLimit: 1_048_576 };
  hooks.addContentTypeParser('*', options, async (request, body) => body);

  hooks.post('/hook', async (request, reply) => {
    const body = request.body ?? Buffer.alloc(0);
    const header = (name) => request.headers[name.toLowerCase()] ?? '';
    // #if url
    // Behind a proxy that ends TLS: fastify({ trustProxy: true })
    const url = `${request.protocol}://${request.host}${request.url}`;
    if (!isSigned(body, header, url)) return reply.code(401).send();
    // #else
    if (!isSigned(body, header)) return reply.code(401).send();
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
      return reply.code(400).send();
    }
    // #if challenge
    if (event?.challenge) return reply.type('text/plain').send(event.challenge);
    // #end
    // #if zoom
    if (event?.event === 'endpoint.url_validation') {
      const { plainToken } = event.payload;
      const mac = createHmac('sha256', secrets[0]).update(plainToken).digest('hex');
      return reply.send({ plainToken, encryptedToken: mac });
    }
    // #end
    // #if batch
    if (!Array.isArray(event)) return reply.code(400).send();
    const fresh = event.filter((event) => {
      const eventId = {{eventId}};
      const isRepeat = seen.has(eventId);
      if (eventId) seen.add(eventId); // an event without an id is no repeat
      return !isRepeat;
    });
    reply.code(204).send(); // also for repeats, and for types that are not known
    for (const one of fresh) handle(one).catch((error) => request.log.error(error));
    // #else
    const eventId = {{eventId}};
    const isRepeat = seen.has(eventId);
    if (eventId) seen.add(eventId); // an event without an id is no repeat
    reply.code(204).send(); // also for a repeat, and for a type that is not known
    if (!isRepeat) handle(event).catch((error) => request.log.error(error));
    // #end
    return reply;
  });
});

// Works after the response; in production: a queue.
async function handle(event) {
  console.log(event);
}
