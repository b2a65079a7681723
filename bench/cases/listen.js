import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { eventText, secret } from '../lib/data.js';
import { intake } from '../lib/load-server.js';
import { sign } from '../lib/sign.js';

const peers = join(import.meta.dirname, '../peers');
const plain = 'evfwd listen';
const bare = 'bare node:http';
const recording = 'evfwd listen, --record, a secret';
const bareRecording = 'bare node:http, HMAC, append';

/** Lines are printed to a pipe that is read. */
export const listen = {
  name: 'listen',
  title: 'one event a request over 64 connections',

  async prepare(workshop) {
    const body = eventText(0);
    const signature = `X-Signature: ${sign(body, secret)}`;
    const ms = String(workshop.pick(2_000, 5_000));
    const flags = ['--ms', ms, '--body', body, '--headers', signature];
    const file = join(workshop.makeFolder(), 'requests.ndjson');
    const evfwd = (args) => ({
      program: workshop.program,
      args: ['listen', '--port', '0', ...args],
    });
    const peer = (name, args) => ({ program: join(peers, `${name}.js`), args });
    const contender = (name, server) => ({
      name,
      async run() {
        rmSync(file, { force: true });
        return await intake({ ...server, path: '/hook', flags });
      },
    });
    return {
      contenders: [
        contender(plain, evfwd([])),
        contender(bare, peer('bare-server', [])),
        contender(recording, evfwd(['--record', file, '--secret-file', workshop.secretFile])),
        contender(bareRecording, peer('recording-server', [file])),
      ],
      rounds: workshop.pick(2, 5),
      promises: [
        { subject: plain, peer: bare, atLeast: 0.7 },
        { subject: recording, peer: bareRecording, atLeast: 0.6 },
        { subject: plain, metric: 'peakMb' },
      ],
    };
  },
};
