import { numberOf, secondsText, uuidOf } from './ids.js';
import { jsonSender, kindsOf, type EventMarks, type Message, type KnownSender } from './sender.js';

const kinds = kindsOf({
  'orders/create': orderCreated,
  'products/update': productUpdated,
  'app/uninstalled': appUninstalled,
});

/** Webhooks of Shopify: https://shopify.dev/docs/api/webhooks */
export const shopify: KnownSender = jsonSender({
  schemes: ['shopify'],
  note: 'with `X-Shopify-Topic` and `-Test: true`',
  mark: "req.get('X-Shopify-Shop-Domain') === 'evfwd-check.myshopify.com'",
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
  const money = (amount: string) => ({ amount, currency_code: 'EUR' });
  const set = (amount: string) => ({
    shop_money: money(amount),
    presentment_money: money(amount),
  });
  const address = {
    first_name: 'evfwd',
    last_name: 'check',
    name: 'evfwd check',
    address1: 'Teststrasse 1',
    address2: null,
    city: 'Berlin',
    zip: '10115',
    province: null,
    province_code: null,
    country: 'Germany',
    country_code: 'DE',
    phone: null,
    company: null,
  };
  const customer = {
    id: 1_000_001,
    email: 'evfwd-check@example.com',
    first_name: 'evfwd',
    last_name: 'check',
  };
  return message('orders/create', marks, {
    id,
    admin_graphql_api_id: `gid://shopify/Order/${id}`,
    app_id: 6_000_006,
    billing_address: address,
    shipping_address: address,
    buyer_accepts_marketing: false,
    cancel_reason: null,
    cancelled_at: null,
    closed_at: null,
    confirmed: true,
    contact_email: 'evfwd-check@example.com',
    created_at: at,
    currency: 'EUR',
    current_subtotal_price: '12.00',
    current_total_discounts: '0.00',
    current_total_price: '12.00',
    current_total_price_set: set('12.00'),
    current_total_tax: '0.00',
    discount_codes: [],
    email: 'evfwd-check@example.com',
    financial_status: 'paid',
    fulfillment_status: null,
    name: '#9999',
    landing_site: null,
    note: 'evfwd-check',
    note_attributes: [],
    number: 9999,
    order_number: 9999,
    payment_gateway_names: ['bogus'],
    phone: null,
    presentment_currency: 'EUR',
    processed_at: at,
    source_name: 'web',
    subtotal_price: '12.00',
    tax_lines: [],
    taxes_included: false,
    token: 'evfwdcheck',
    total_discounts: '0.00',
    total_line_items_price: '12.00',
    total_price_set: set('12.00'),
    total_weight: 0,
    user_id: null,
    fulfillments: [],
    refunds: [],
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
        price_set: set('12.00'),
        discount_allocations: [],
        fulfillable_quantity: 1,
        fulfillment_service: 'manual',
        fulfillment_status: null,
        gift_card: false,
        grams: 0,
        product_exists: true,
        properties: [],
        requires_shipping: true,
        tax_lines: [],
        taxable: true,
        total_discount: '0.00',
        variant_title: null,
        vendor: 'evfwd-check',
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
    barcode: null,
    compare_at_price: null,
    inventory_item_id: 7_000_007,
    inventory_policy: 'deny',
    inventory_quantity: 1,
    option1: 'Default Title',
    option2: null,
    option3: null,
    taxable: true,
    created_at: at,
    updated_at: at,
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
    options: [
      {
        id: 8_000_008,
        product_id: 3_000_003,
        name: 'Title',
        position: 1,
        values: ['Default Title'],
      },
    ],
    images: [],
    image: null,
    published_scope: 'global',
    template_suffix: null,
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
