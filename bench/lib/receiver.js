// A process of its own, so that it does not slow the measured program: responds 200 to every request
// as soon as its body is complete, and counts. As simple as possible: if it were slower than the
// senders, it would measure itself.
import { createServer } from 'node:net';

const okResponse = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
const headersEnd = Buffer.from('\r\n\r\n');
const lengthForm = /\r\ncontent-length: *(\d+)/i;
const nothing = Buffer.alloc(0);

let counts = zero();

function zero() {
  return { requests: 0, bytes: 0, firstAt: null, lastAt: null };
}

const server = createServer({ noDelay: true }, (socket) => {
  /** The beginning of headers whose end has not arrived yet. */
  let rest = nothing;
  /** Bytes of a body that have not arrived yet. */
  let missing = 0;

  socket.on('data', (data) => {
    const chunk = rest.length === 0 ? data : Buffer.concat([rest, data]);
    counts.bytes += data.length;
    rest = nothing;
    let at = 0;
    let responses = 0;
    for (;;) {
      if (missing > chunk.length - at) {
        missing -= chunk.length - at;
        break;
      }
      if (missing > 0) {
        at += missing;
        missing = 0;
        responses++;
      }
      if (at === chunk.length) break;
      const end = chunk.indexOf(headersEnd, at);
      if (end === -1) {
        rest = chunk.subarray(at);
        break;
      }
      missing = bodyLength(chunk.latin1Slice(at, end));
      at = end + headersEnd.length;
      if (missing === 0) responses++;
    }
    if (responses > 0) respond(socket, responses);
  });
  socket.on('error', () => socket.destroy());
});

function bodyLength(headers) {
  const length = lengthForm.exec(headers);
  return length ? Number(length[1]) : 0;
}

function respond(socket, responses) {
  counts.requests += responses;
  counts.lastAt = Date.now();
  counts.firstAt ??= counts.lastAt;
  socket.write(responses === 1 ? okResponse : okResponse.repeat(responses), 'latin1');
}

const replies = {
  counts: () => counts,
  reset: () => (counts = zero()),
};

process.on('message', (question) => process.send(replies[question]()));
process.on('disconnect', () => process.exit());
// Ctrl-C reaches the whole group; the bench ends its receiver itself.
process.on('SIGINT', () => undefined);

server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
