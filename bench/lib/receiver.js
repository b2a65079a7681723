// A process of its own, so that it takes no time of the program that is measured: answers every
// request with 200 as soon as its body is whole, and counts. As raw as can be, for a receiver that
// is slower than the senders would measure itself.
import { createServer } from 'node:net';

const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
const headEnd = Buffer.from('\r\n\r\n');
const lengthForm = /\r\ncontent-length: *(\d+)/i;
const nothing = Buffer.alloc(0);

let counts = zero();

function zero() {
  return { requests: 0, bytes: 0, firstAt: null, lastAt: null };
}

const server = createServer({ noDelay: true }, (socket) => {
  /** The beginning of a head whose end has not come yet. */
  let rest = nothing;
  /** What is still to come of a body. */
  let missing = 0;

  socket.on('data', (data) => {
    const chunk = rest.length === 0 ? data : Buffer.concat([rest, data]);
    counts.bytes += data.length;
    rest = nothing;
    let at = 0;
    let answers = 0;
    for (;;) {
      if (missing > chunk.length - at) {
        missing -= chunk.length - at;
        break;
      }
      if (missing > 0) {
        at += missing;
        missing = 0;
        answers++;
      }
      if (at === chunk.length) break;
      const end = chunk.indexOf(headEnd, at);
      if (end === -1) {
        rest = chunk.subarray(at);
        break;
      }
      missing = bodyLength(chunk.latin1Slice(at, end));
      at = end + headEnd.length;
      if (missing === 0) answers++;
    }
    if (answers > 0) respond(socket, answers);
  });
  socket.on('error', () => socket.destroy());
});

function bodyLength(head) {
  const length = lengthForm.exec(head);
  return length ? Number(length[1]) : 0;
}

function respond(socket, answers) {
  counts.requests += answers;
  counts.lastAt = Date.now();
  counts.firstAt ??= counts.lastAt;
  socket.write(answers === 1 ? answer : answer.repeat(answers), 'latin1');
}

const tell = {
  counts: () => counts,
  reset: () => (counts = zero()),
};

process.on('message', (question) => process.send(tell[question]()));
process.on('disconnect', () => process.exit());
// Ctrl-C reaches the whole group; the bench ends its receiver itself.
process.on('SIGINT', () => undefined);

server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
