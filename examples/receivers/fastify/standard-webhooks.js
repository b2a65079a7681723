import Fastify from 'fastify';
import { Webhook } from 'standardwebhooks';

const { PORT = '3000', WEBHOOK_SECRET } = process.env;
const webhook = new Webhook(WEBHOOK_SECRET);
const app = Fastify();
app.removeAllContentTypeParsers();
app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request, body) => body);

// In production: a table with a unique index on the id, and a job queue.
const seen = new Set();
const jobs = [];

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
    jobs.push(event); // whatever its type: the work comes after the response
  }
  return reply.code(204).send();
});

await app.listen({ port: Number(PORT) });
