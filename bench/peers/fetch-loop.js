import { postLines } from '../lib/post-lines.js';

const [url, path] = process.argv.slice(2);

await postLines(path, async (body, headers) => {
  const response = await fetch(url, { method: 'POST', body, headers });
  await response.arrayBuffer();
});
