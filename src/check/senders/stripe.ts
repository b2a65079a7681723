import { hexOf, seconds } from './ids.js';
import { jsonSender, kindsOf, type EventMarks, type Message, type Sender } from './sender.js';

/**
 * The version of Stripe's API whose form the events have. Stripe's libraries for Go and .NET refuse events
 * of another version than their own (docs/check.md).
 */
const apiVersion = '2025-09-30.clover';

const kinds = kindsOf({
  'checkout.session.completed': checkoutCompleted,
  'invoice.paid': invoicePaid,
  'customer.updated': customerUpdated,
});

/** Events of Stripe: https://docs.stripe.com/api/events/object */
export const stripe: Sender = jsonSender({
  kinds,
  usual: kinds.find(({ name }) => name === 'customer.updated')!,
  id: { path: ['id'] },
  kind: { path: ['type'] },
  // Not `metadata`, whose values are texts alone: typed libraries refuse others there, and ignore unknown members.
  free: ['data', 'object', 'evfwd_check'],
});

function message({ id, nowMs }: EventMarks, type: string, object: object, data = {}): Message {
  return {
    json: {
      id: `evt_evfwdcheck${hexOf(id, 14)}`,
      object: 'event',
      api_version: apiVersion,
      created: seconds(nowMs),
      data: { object: { ...object, metadata: { evfwdCheck: 'true' } }, ...data },
      livemode: false,
      pending_webhooks: 1,
      request: { id: null, idempotency_key: null },
      type,
    },
  };
}

const email = 'evfwd-check@example.com';
const customer = 'cus_evfwdcheck';

function checkoutCompleted(marks: EventMarks): Message {
  return message(marks, 'checkout.session.completed', {
    id: `cs_test_evfwdcheck${hexOf(marks.id, 14)}`,
    object: 'checkout.session',
    amount_subtotal: 1200,
    amount_total: 1200,
    client_reference_id: 'evfwd-check',
    created: seconds(marks.nowMs),
    currency: 'eur',
    customer,
    customer_details: { address: null, email, name: 'evfwd check', phone: null, tax_ids: [] },
    customer_email: null,
    expires_at: seconds(marks.nowMs) + 86_400,
    livemode: false,
    mode: 'payment',
    payment_intent: 'pi_evfwdcheck',
    payment_method_types: ['card'],
    payment_status: 'paid',
    status: 'complete',
    success_url: 'https://example.com/success',
    url: null,
  });
}

function invoicePaid(marks: EventMarks): Message {
  const created = seconds(marks.nowMs);
  return message(marks, 'invoice.paid', {
    id: `in_evfwdcheck${hexOf(marks.id, 14)}`,
    object: 'invoice',
    amount_due: 1200,
    amount_paid: 1200,
    amount_remaining: 0,
    billing_reason: 'subscription_cycle',
    collection_method: 'charge_automatically',
    created,
    currency: 'eur',
    customer,
    customer_email: email,
    customer_name: 'evfwd check',
    lines: { object: 'list', data: [], has_more: false, url: '/v1/invoices/in_evfwdcheck/lines' },
    livemode: false,
    number: 'EVFWDCHECK-0001',
    period_end: created,
    period_start: created,
    status: 'paid',
    subtotal: 1200,
    total: 1200,
  });
}

function customerUpdated(marks: EventMarks): Message {
  const object = {
    id: customer,
    object: 'customer',
    address: null,
    balance: 0,
    created: seconds(marks.nowMs),
    currency: 'eur',
    delinquent: false,
    description: 'Customer of a check',
    email,
    invoice_prefix: 'EVFWDCHECK',
    livemode: false,
    name: 'evfwd check',
    phone: null,
    preferred_locales: [],
    shipping: null,
    tax_exempt: 'none',
  };
  return message(marks, 'customer.updated', object, {
    previous_attributes: { name: 'evfwd' },
  });
}
