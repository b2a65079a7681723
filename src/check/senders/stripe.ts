import { hexOf, seconds } from './ids.js';
import { jsonSender, kindsOf, type EventMarks, type Message, type KnownSender } from './sender.js';

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
export const stripe: KnownSender = jsonSender({
  schemes: ['stripe'],
  note: `in the API's version ${apiVersion.slice(0, 10)}`,
  mark: "event.id?.startsWith('evt_evfwdcheck')",
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
    allow_promotion_codes: null,
    amount_subtotal: 1200,
    amount_total: 1200,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    billing_address_collection: null,
    cancel_url: 'https://example.com/cancel',
    client_reference_id: 'evfwd-check',
    created: seconds(marks.nowMs),
    consent: null,
    currency: 'eur',
    custom_fields: [],
    customer,
    customer_creation: 'always',
    customer_details: { address: null, email, name: 'evfwd check', phone: null, tax_ids: [] },
    customer_email: null,
    expires_at: seconds(marks.nowMs) + 86_400,
    invoice: null,
    locale: null,
    livemode: false,
    mode: 'payment',
    payment_intent: 'pi_evfwdcheck',
    payment_link: null,
    payment_method_options: {},
    payment_method_types: ['card'],
    payment_status: 'paid',
    shipping_cost: null,
    shipping_options: [],
    status: 'complete',
    submit_type: null,
    subscription: null,
    success_url: 'https://example.com/success',
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    url: null,
  });
}

function invoicePaid(marks: EventMarks): Message {
  const created = seconds(marks.nowMs);
  const invoice = `in_evfwdcheck${hexOf(marks.id, 14)}`;
  const subscription = 'sub_evfwdcheck';
  const line = {
    id: 'il_evfwdcheck',
    object: 'line_item',
    amount: 1200,
    currency: 'eur',
    description: 'Check of an endpoint',
    discounts: [],
    invoice,
    livemode: false,
    metadata: {},
    parent: {
      type: 'subscription_item_details',
      subscription_item_details: { subscription, subscription_item: 'si_evfwdcheck' },
    },
    period: { end: created, start: created },
    pricing: {
      type: 'price_details',
      price_details: { price: 'price_evfwdcheck', product: 'prod_evfwdcheck' },
      unit_amount_decimal: '1200',
    },
    quantity: 1,
    taxes: [],
  };
  return message(marks, 'invoice.paid', {
    id: invoice,
    object: 'invoice',
    account_country: 'DE',
    account_name: 'evfwd check',
    amount_due: 1200,
    amount_paid: 1200,
    amount_remaining: 0,
    attempt_count: 1,
    attempted: true,
    auto_advance: false,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    billing_reason: 'subscription_cycle',
    collection_method: 'charge_automatically',
    created,
    currency: 'eur',
    customer,
    customer_email: email,
    customer_name: 'evfwd check',
    default_payment_method: null,
    description: null,
    discounts: [],
    due_date: null,
    effective_at: created,
    ending_balance: 0,
    hosted_invoice_url: 'https://invoice.stripe.com/i/evfwdcheck',
    invoice_pdf: 'https://pay.stripe.com/invoice/evfwdcheck/pdf',
    lines: { object: 'list', data: [line], has_more: false, url: `/v1/invoices/${invoice}/lines` },
    livemode: false,
    number: 'EVFWDCHECK-0001',
    parent: {
      type: 'subscription_details',
      subscription_details: { metadata: {}, subscription },
      quote_details: null,
    },
    period_end: created,
    period_start: created,
    receipt_number: null,
    starting_balance: 0,
    status: 'paid',
    status_transitions: {
      finalized_at: created,
      marked_uncollectible_at: null,
      paid_at: created,
      voided_at: null,
    },
    subtotal: 1200,
    total: 1200,
    total_discount_amounts: [],
    total_taxes: [],
    webhooks_delivered_at: null,
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
    default_source: null,
    delinquent: false,
    discount: null,
    description: 'Customer of a check',
    email,
    invoice_prefix: 'EVFWDCHECK',
    invoice_settings: {
      custom_fields: null,
      default_payment_method: null,
      footer: null,
      rendering_options: null,
    },
    next_invoice_sequence: 2,
    livemode: false,
    name: 'evfwd check',
    phone: null,
    preferred_locales: [],
    shipping: null,
    tax_exempt: 'none',
    test_clock: null,
  };
  return message(marks, 'customer.updated', object, {
    previous_attributes: { name: 'evfwd' },
  });
}
