/** The fields of a track call that makes an event of about 400 bytes. */
export function trackCall(index) {
  return {
    userId: `user-${index % 9973}`,
    event: 'Order Completed',
    properties: {
      orderId: `o-${index}`,
      total: (index % 10_000) / 100,
      currency: 'EUR',
      products: [{ sku: `s-${index % 700}`, quantity: 1 + (index % 3), price: 12.5 }],
    },
    context: {
      ip: '203.0.113.7',
      locale: 'de-DE',
      userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101',
    },
  };
}
