import { Agent, request } from 'undici';
import { postLines } from '../lib/post-lines.js';

const [url, path] = process.argv.slice(2);
const dispatcher = new Agent({ connections: 64 });

await postLines(path, async (body, headers) => {
  const response = await request(url, { method: 'POST', body, headers, dispatcher });
  await response.body.dump();
});
await dispatcher.close();
