import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Records which threads of a program have opened a connection. */
export interface SendingThreads {
  /** For the environment of the program. */
  readonly env: Record<string, string>;
  /** Their numbers, the lowest first; 0 is the main thread. */
  readonly seen: () => number[];
}

/** Makes a program that is started in this folder record its threads there. */
export function noteSendingThreads(folder: string): SendingThreads {
  const notes = join(folder, 'sending-threads');
  const file = join(folder, 'note-sending-threads.cjs');
  writeFileSync(file, source(notes));
  return {
    env: { NODE_OPTIONS: `--require ${JSON.stringify(file)}` },
    seen: () => {
      const noted = existsSync(notes) ? readFileSync(notes, 'utf8').trim().split('\n') : [];
      return [...new Set(noted)].map(Number).sort((a, b) => a - b);
    },
  };
}

/** Is loaded by each thread before anything else. */
const source = (notes: string): string => `
const { appendFileSync } = require('node:fs');
const { Socket } = require('node:net');
const { threadId } = require('node:worker_threads');
const connect = Socket.prototype.connect;
Socket.prototype.connect = function (...args) {
  appendFileSync(${JSON.stringify(notes)}, threadId + '\\n');
  return connect.apply(this, args);
};
`;
