// app/hook/route.ts
import Stripe from 'stripe';

// In production: a table with a unique index on the id, and a job queue.
const seen = new Set<string>();
const jobs: unknown[] = [];

export async function POST(request: Request): Promise<Response> {
  const body = await request.text();
  const signature = request.headers.get('stripe-signature') ?? '';
  let event: Stripe.Event;
  try {
    event = Stripe.webhooks.constructEvent(body, signature, process.env.WEBHOOK_SECRET!);
  } catch {
    return new Response(null, { status: 400 }); // a wrong signature, or no JSON
  }
  if (!seen.has(event.id)) {
    seen.add(event.id);
    jobs.push(event); // whatever its type: the work comes after the response
  }
  return new Response(null, { status: 204 });
}
