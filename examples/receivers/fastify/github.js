import { verify } from '@octokit/webhooks-methods';
import Fastify from 'fastify';

const { PORT = '3000', WEBHOOK_SECRET } = process.env;
const app = Fastify({ bodyLimit: 25 * 1024 * 1024 });
app.removeAllContentTypeParsers();
app.addContentTypeParser('*', { parseAs: 'string' }, async (_request, body) => body);

// In production: a table with a unique index on the id, and a job queue.
const seen = new Set();
const jobs = [];

app.post('/hook', async (request, reply) => {
  const { body, headers } = request;
  const signature = headers['x-hub-signature-256'];
  if (!body || !signature || !(await verify(WEBHOOK_SECRET, body, signature))) {
    return reply.code(401).send();
  }
  let event;
  try {
    event = JSON.parse(body);
  } catch {
    return reply.code(400).send();
  }
  const id = headers['x-github-delivery'];
  if (!seen.has(id)) {
    seen.add(id);
    jobs.push(event); // whatever its kind: the work comes after the response
  }
  return reply.code(204).send();
});

await app.listen({ port: Number(PORT) });
