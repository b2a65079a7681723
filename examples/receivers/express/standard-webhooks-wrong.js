// Wrong: answers 409 to an event that it has already, so that the sender repeats it again.
import express from 'express';
import { Webhook } from 'standardwebhooks';

const { PORT = '3000', WEBHOOK_SECRET } = process.env;
const webhook = new Webhook(WEBHOOK_SECRET);
const app = express();

// In production: a table with a unique index on the id, and a job queue.
const seen = new Set();
const jobs = [];

app.post('/hook', express.raw({ type: '*/*', limit: '1mb' }), (request, response) => {
  let event;
  try {
    event = webhook.verify(request.body, request.headers);
  } catch {
    return response.sendStatus(400); // a wrong signature, or no JSON
  }
  const id = request.get('webhook-id');
  if (seen.has(id)) {
    return response.status(409).json({ error: 'duplicate event' });
  }
  seen.add(id);
  jobs.push(event); // whatever its type: the work comes after the response
  response.sendStatus(204);
});

app.listen(PORT);
