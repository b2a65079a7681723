// Wrong: answers 404 to kinds of events that it does not know.
import { verify } from '@octokit/webhooks-methods';
import express from 'express';

const { PORT = '3000', WEBHOOK_SECRET } = process.env;
const app = express();

// In production: a table with a unique index on the id, and a job queue.
const seen = new Set();
const jobs = [];

app.post('/hook', express.raw({ type: '*/*', limit: '25mb' }), async (request, response) => {
  const body = request.body?.toString() ?? '';
  const signature = request.get('X-Hub-Signature-256');
  if (!body || !signature || !(await verify(WEBHOOK_SECRET, body, signature))) {
    return response.sendStatus(401);
  }
  let event;
  try {
    event = JSON.parse(body);
  } catch {
    return response.sendStatus(400);
  }
  const id = request.get('X-GitHub-Delivery');
  switch (request.get('X-GitHub-Event')) {
    case 'ping':
    case 'push':
    case 'issues':
    case 'pull_request':
      if (!seen.has(id)) {
        seen.add(id);
        jobs.push(event); // the work comes after the response
      }
      return response.sendStatus(204);
    default:
      return response.sendStatus(404);
  }
});

app.listen(PORT);
