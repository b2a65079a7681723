import { numberOf, secondsText, uuidOf } from './ids.js';
import { jsonSender, kindsOf, type EventMarks, type Message, type Sender } from './sender.js';

const kinds = kindsOf({
  'orders/create': orderCreated,
  'products/update': productUpdated,
  'app/uninstalled': appUninstalled,
});

/** Webhooks of Shopify: https://shopify.dev/docs/api/webhooks */
export const shopify: Sender = jsonSender({
  kinds,
  id: { header: 'X-Shopify-Webhook-Id' },
  kind: { header: 'X-Shopify-Topic' },
  free: ['evfwd_check'],
});

const shop = 'evfwd-check.myshopify.com';

function message(topic: string, { id, nowMs }: EventMarks, json: object): Message {
  return {
    json,
    headers: [
      ['X-Shopify-Topic', topic],
      ['X-Shopify-Shop-Domain', shop],
      ['X-Shopify-API-Version', '2025-10'],
      ['X-Shopify-Webhook-Id', uuidOf(id)],
      ['X-Shopify-Event-Id', uuidOf(`${id} event`)],
      ['X-Shopify-Triggered-At', new Date(nowMs).toISOString()],
      ['X-Shopify-Test', 'true'],
    ],
  };
}

function orderCreated(marks: EventMarks): Message {
  const id = numberOf(marks.id);
  const at = secondsText(marks.nowMs);
  const customer = {
    id: 1_000_001,
    email: 'evfwd-check@example.com',
    first_name: 'evfwd',
    last_name: 'check',
  };
  return message('orders/create', marks, {
    id,
    admin_graphql_api_id: `gid://shopify/Order/${id}`,
    confirmed: true,
    contact_email: 'evfwd-check@example.com',
    created_at: at,
    currency: 'EUR',
    current_total_price: '12.00',
    email: 'evfwd-check@example.com',
    financial_status: 'paid',
    fulfillment_status: null,
    name: '#9999',
    note: 'evfwd-check',
    number: 9999,
    order_number: 9999,
    processed_at: at,
    subtotal_price: '12.00',
    tags: 'evfwd-check',
    test: true,
    total_price: '12.00',
    total_tax: '0.00',
    updated_at: at,
    customer,
    line_items: [
      {
        id: id + 1,
        name: 'evfwd check',
        price: '12.00',
        product_id: 3_000_003,
        quantity: 1,
        sku: 'evfwd-check',
        title: 'evfwd check',
        variant_id: 4_000_004,
      },
    ],
    shipping_lines: [],
  });
}

function productUpdated(marks: EventMarks): Message {
  const at = secondsText(marks.nowMs);
  const variant = {
    id: 4_000_004,
    product_id: 3_000_003,
    title: 'Default Title',
    price: '12.00',
    position: 1,
    sku: 'evfwd-check',
    inventory_quantity: 1,
  };
  return message('products/update', marks, {
    id: 3_000_003,
    admin_graphql_api_id: 'gid://shopify/Product/3000003',
    title: 'evfwd check',
    body_html: 'A product of a check',
    vendor: 'evfwd-check',
    product_type: 'check',
    created_at: at,
    handle: 'evfwd-check',
    updated_at: at,
    published_at: at,
    status: 'active',
    tags: 'evfwd-check',
    variants: [variant],
    options: [],
    images: [],
  });
}

function appUninstalled(marks: EventMarks): Message {
  const at = secondsText(marks.nowMs);
  return message('app/uninstalled', marks, {
    id: 5_000_005,
    name: 'evfwd-check',
    email: 'evfwd-check@example.com',
    domain: null,
    country: 'DE',
    currency: 'EUR',
    myshopify_domain: shop,
    plan_name: 'partner_test',
    shop_owner: 'evfwd check',
    created_at: at,
    updated_at: at,
  });
}
