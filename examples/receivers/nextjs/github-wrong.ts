// Wrong: does not await verify, which returns a promise: each signature is right.
// app/hook/route.ts
import { verify } from '@octokit/webhooks-methods';

// In production: a table with a unique index on the id, and a job queue.
const seen = new Set<string | null>();
const jobs: unknown[] = [];

export async function POST(request: Request): Promise<Response> {
  const body = await request.text();
  const signature = request.headers.get('x-hub-signature-256');
  if (!body || !signature || !verify(process.env.WEBHOOK_SECRET!, body, signature)) {
    return new Response(null, { status: 401 });
  }
  let event: unknown;
  try {
    event = JSON.parse(body);
  } catch {
    return new Response(null, { status: 400 });
  }
  const id = request.headers.get('x-github-delivery');
  if (!seen.has(id)) {
    seen.add(id);
    jobs.push(event); // whatever its kind: the work comes after the response
  }
  return new Response(null, { status: 204 });
}
