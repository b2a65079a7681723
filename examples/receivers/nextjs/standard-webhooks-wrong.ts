// Wrong: a body that is not JSON is answered 500, since verify throws a SyntaxError for it.
// app/hook/route.ts
import { Webhook, WebhookVerificationError } from 'standardwebhooks';

// In production: a table with a unique index on the id, and a job queue.
const seen = new Set<string | null>();
const jobs: unknown[] = [];

export async function POST(request: Request): Promise<Response> {
  const body = await request.text();
  const webhook = new Webhook(process.env.WEBHOOK_SECRET!);
  let event: unknown;
  try {
    event = webhook.verify(body, Object.fromEntries(request.headers));
  } catch (error) {
    if (error instanceof WebhookVerificationError) return new Response(null, { status: 401 });
    throw error;
  }
  const id = request.headers.get('webhook-id');
  if (!seen.has(id)) {
    seen.add(id);
    jobs.push(event); // whatever its type: the work comes after the response
  }
  return new Response(null, { status: 204 });
}
