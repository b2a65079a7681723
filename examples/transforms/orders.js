/** Makes track events of orders as a shop exports them; test orders are left out. */
export default function orderToEvents({ id, customer, items = [], total, test }) {
  if (test) return null;
  const order = {
    type: 'track',
    userId: customer,
    messageId: `order-${id}`,
    event: 'Order Completed',
    properties: { orderId: id, total },
  };
  const bought = items.map(({ sku, quantity = 1 }, i) => ({
    type: 'track',
    userId: customer,
    messageId: `order-${id}-${i}`,
    event: 'Product Bought',
    properties: { orderId: id, sku, quantity },
  }));
  return [order, ...bought];
}
