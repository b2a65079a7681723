/** Calls `done` with the body of a request of `node:http`. */
export function readBody(request, done) {
  let body;
  request.on('data', (chunk) => (body = body === undefined ? chunk : Buffer.concat([body, chunk])));
  request.on('end', () => done(body));
}

const ok = Buffer.from('{"success":true}');

export function succeed(response) {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': ok.length });
  response.end(ok);
}

/** Listens on a free port, and tells the bench where. */
export function listen(server) {
  server.listen(0, '127.0.0.1', () =>
    process.stdout.write(`listening at http://127.0.0.1:${server.address().port}\n`),
  );
}
