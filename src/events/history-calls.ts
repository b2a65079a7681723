import type { Person } from './history-people.js';
import type { Random } from './random.js';

/** The part of an event that says what happened; who and when are added to it. */
export type Call = Readonly<Record<string, unknown>>;

/** A page or a screen, whichever this person's device has. */
export function view(person: Person, random: Random): Call {
  const [name, category, path] = random.pick(views);
  if (!person.onWeb) return { type: 'screen', name, category, properties: { section: category } };
  const properties = {
    path,
    url: `https://shop.example.com${path}`,
    title: `${name} – Example Shop`,
    ...(random.next() < 0.3 && { referrer: 'https://search.example.org/' }),
  };
  return { type: 'page', name, category, properties };
}

/** The track calls of a person: shopping trips, step by step, with other things in between. */
export function* tracks(random: Random): Generator<Call, never> {
  for (;;) {
    const product = random.pick(products);
    const quantity = random.whole(1, 4);
    if (random.next() < 0.5)
      yield track('Products Searched', { query: product.category.toLowerCase() });
    yield track('Product Viewed', product);
    if (random.next() < 0.3) continue;
    yield track('Product Added', { ...product, quantity });
    if (random.next() < 0.25) continue;
    const order = orderOf(product, quantity, random);
    yield track('Checkout Started', order);
    yield track('Order Completed', {
      ...order,
      payment: random.pick(['card', 'invoice', 'wallet']),
    });
    if (random.next() < 0.1)
      yield track('Order Refunded', { orderId: order.orderId, reason: 'Größe passt nicht' });
  }
}

function track(event: string, properties: object): Call {
  return { type: 'track', event, properties };
}

function orderOf(product: (typeof products)[number], quantity: number, random: Random) {
  return {
    orderId: `A-${random.whole(100_000, 999_999)}`,
    // Prices are whole cents, so that the total has no digits that come from rounding.
    total: Math.round(product.price * 100 * quantity) / 100,
    currency: 'EUR',
    coupon: random.next() < 0.2 ? 'HERBST26' : null,
    products: [{ ...product, quantity }],
  };
}

const views = [
  ['Home', 'Shop', '/'],
  ['Kaffee', 'Catalogue', '/kaffee'],
  ['Café crème', 'Product', '/kaffee/cafe-creme'],
  ['Basket', 'Checkout', '/basket'],
  ['Brewing guide', 'Magazine', '/magazine/brewing'],
  ['Account', 'Account', '/account'],
] as const;

const products = [
  { productId: 'SKU-118', name: 'Café crème, 500 g', category: 'Kaffee', price: 18.9 },
  { productId: 'SKU-121', name: 'Espresso N° 7', category: 'Kaffee', price: 21.4 },
  { productId: 'SKU-240', name: 'Mühle „Classic“', category: 'Zubehör', price: 26.5 },
  { productId: 'SKU-305', name: '抹茶 (matcha)', category: 'Tee', price: 34 },
  { productId: 'SKU-411', name: 'Cup, 0.3 l', category: 'Geschirr', price: 9.95 },
] as const;
