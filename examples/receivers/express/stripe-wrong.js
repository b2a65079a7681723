// Wrong: verifies JSON.stringify(request.body), which is not always what Stripe has signed.
import express from 'express';
import Stripe from 'stripe';

const { PORT = '3000', WEBHOOK_SECRET } = process.env;
const app = express();

// In production: a table with a unique index on the id, and a job queue.
const seen = new Set();
const jobs = [];

app.post('/hook', express.json({ limit: '1mb' }), (request, response) => {
  let event;
  try {
    const body = JSON.stringify(request.body);
    const signature = request.get('Stripe-Signature');
    event = Stripe.webhooks.constructEvent(body, signature, WEBHOOK_SECRET);
  } catch {
    return response.sendStatus(400); // a wrong signature
  }
  if (!seen.has(event.id)) {
    seen.add(event.id);
    jobs.push(event); // whatever its type: the work comes after the response
  }
  response.sendStatus(204);
});

app.listen(PORT);
