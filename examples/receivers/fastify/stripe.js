import Fastify from 'fastify';
import Stripe from 'stripe';

const { PORT = '3000', WEBHOOK_SECRET } = process.env;
const app = Fastify();
app.removeAllContentTypeParsers();
app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request, body) => body);

// In production: a table with a unique index on the id, and a job queue.
const seen = new Set();
const jobs = [];

app.post('/hook', async (request, reply) => {
  let event;
  try {
    const signature = request.headers['stripe-signature'];
    event = Stripe.webhooks.constructEvent(request.body, signature, WEBHOOK_SECRET);
  } catch {
    return reply.code(400).send(); // a wrong signature, or no JSON
  }
  if (!seen.has(event.id)) {
    seen.add(event.id);
    jobs.push(event); // whatever its type: the work comes after the response
  }
  return reply.code(204).send();
});

await app.listen({ port: Number(PORT) });
