// app/hook/route.ts
import { Webhook } from 'standardwebhooks';

// In production: a table with a unique index on the id, and a job queue.
const seen = new Set<string | null>();
const jobs: unknown[] = [];

export async function POST(request: Request): Promise<Response> {
  const body = await request.text();
  const webhook = new Webhook(process.env.WEBHOOK_SECRET!);
  let event: unknown;
  try {
    event = webhook.verify(body, Object.fromEntries(request.headers));
  } catch {
    return new Response(null, { status: 400 }); // a wrong signature, or no JSON
  }
  const id = request.headers.get('webhook-id');
  if (!seen.has(id)) {
    seen.add(id);
    jobs.push(event); // whatever its type: the work comes after the response
  }
  return new Response(null, { status: 204 });
}
