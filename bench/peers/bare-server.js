// The least that a server of Node does: reads the body of each request and responds 200.
import { createServer } from 'node:http';
import { listen, readBody } from '../lib/bare-http.js';

const server = createServer((request, response) => {
  readBody(request, () => response.writeHead(200, { 'Content-Length': 0 }).end());
});
listen(server);
