import { createHmac, timingSafeEqual } from 'node:crypto';
import express from 'express';

const { PORT = '3000', WEBHOOK_SECRET } = process.env;
if (!WEBHOOK_SECRET) throw new Error('WEBHOOK_SECRET is not set');
const app = express();

// In production: a table with a unique index on the id, and a job queue.
const seen = new Set();
const jobs = [];

app.post('/hook', express.raw({ type: '*/*', limit: '1mb' }), (request, response) => {
  const body = request.body ?? '';
  const expected = Buffer.from(createHmac('sha1', WEBHOOK_SECRET).update(body).digest('hex'));
  const given = Buffer.from(request.get('X-Signature') ?? '');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    return response.sendStatus(401);
  }
  let event;
  try {
    event = JSON.parse(body);
  } catch {
    return response.sendStatus(400);
  }
  // A deletion notice has no messageId: to delete twice does no harm.
  if (event.messageId === undefined || !seen.has(event.messageId)) {
    seen.add(event.messageId);
    jobs.push(event); // whatever its type: the work comes after the response
  }
  response.sendStatus(204);
});

app.listen(PORT);
