// Wrong: does the work before it responds; a sender that waits too long sends the event again.
import { setTimeout } from 'node:timers/promises';
import Fastify from 'fastify';
import { Webhook } from 'standardwebhooks';

const { PORT = '3000', WEBHOOK_SECRET } = process.env;
const webhook = new Webhook(WEBHOOK_SECRET);
const app = Fastify();
app.removeAllContentTypeParsers();
app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request, body) => body);

// In production: a table with a unique index on the id.
const seen = new Set();

app.post('/hook', async (request, reply) => {
  let event;
  try {
    event = webhook.verify(request.body, request.headers);
  } catch {
    return reply.code(400).send(); // a wrong signature, or no JSON
  }
  const id = request.headers['webhook-id'];
  if (!seen.has(id)) {
    seen.add(id);
    await work(event);
  }
  return reply.code(204).send();
});

await app.listen({ port: Number(PORT) });

/** Sends an email, asks another service, resizes an image, … */
async function work(event) {
  await setTimeout(1_100, event);
}
