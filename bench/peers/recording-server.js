// A receiver that checks signatures and appends each request to a file, and nothing else.
import { appendFile } from 'node:fs';
import { createServer } from 'node:http';
import { listen, readBody } from '../lib/bare-http.js';
import { sign } from '../lib/sign.js';
import { secret } from '../lib/data.js';

const [, , path] = process.argv;
let lines = [];

/** All requests of one turn of the event loop are appended together. */
function record(line, done) {
  if (lines.push({ line, done }) > 1) return;
  setImmediate(() => {
    const group = lines;
    lines = [];
    appendFile(path, group.map((one) => one.line).join(''), () => {
      for (const one of group) one.done();
    });
  });
}

const server = createServer((request, response) => {
  readBody(request, (body) => {
    const signature = sign(body, secret) === request.headers['x-signature'] ? 'valid' : 'invalid';
    const { method, url: path, headers } = request;
    const capture = { method, path, headers, body: body.toString(), signature };
    record(`${JSON.stringify(capture)}\n`, () => {
      response.writeHead(200, { 'Content-Length': 0 }).end();
    });
  });
});
listen(server);
