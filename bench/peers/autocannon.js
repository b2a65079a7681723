// One fixed, unsigned body, as fast as autocannon posts it.
import autocannon from 'autocannon';
import { eventText } from '../lib/data.js';

const [url, amount] = process.argv.slice(2);

await autocannon({
  url,
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: eventText(1),
  connections: 64,
  amount: Number(amount),
});
