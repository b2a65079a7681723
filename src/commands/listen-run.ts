import { randomBytes, randomInt } from 'node:crypto';
import { resolve } from 'node:path';
import { exitCodes } from '../errors.js';
import { captureLine } from '../listen/capture.js';
import { Faults } from '../listen/fault-plan.js';
import { inspectorHandler } from '../listen/inspector.js';
import { Journal } from '../listen/journal.js';
import { Receiver } from '../listen/receiver.js';
import { Recorder } from '../listen/recorder.js';
import { colours } from '../output/text.js';
import type { Io } from './command.js';
import { print, say } from './flags.js';
import { Interruption } from './interruption.js';
import { LineOutput } from './line-output.js';
import type { ListenFlags } from './listen.js';
import { requestLines } from './listen-lines.js';
import { resolveSecret } from './secret-flags.js';

export async function listen(flags: ListenFlags, io: Io): Promise<void> {
  const secret = await resolveSecret(flags, io);
  const faults = new Faults({ faults: flags.fault ?? [], seed: flags.seed ?? randomInt(2 ** 32) });
  const journal = new Journal();
  const lines = new LineOutput(io.stdout);
  const paint = await colours(io.stdout, io.env, flags.color);
  journal.watch({
    added: (received, notes) => {
      if (flags.json) lines.print(captureLine(received));
      else for (const line of requestLines(received, notes, paint)) lines.print(line);
    },
  });
  let port = 0;
  const url = () => `http://${flags.host}:${port}`;
  const inspector = await inspectorHandler({
    host: flags.host,
    url,
    port: () => port,
    token: randomBytes(32).toString('hex'),
    secret,
    journal,
    faults,
    recordsTo: flags.record ?? null,
  });
  let stop!: () => void;
  const stopped = new Promise<void>((end) => (stop = end));
  let failure: Error | undefined;
  const recorder =
    flags.record === undefined
      ? undefined
      : new Recorder(resolve(io.cwd, flags.record), (error) => {
          failure = error as Error;
          stop();
        });
  const receiver = new Receiver({
    host: flags.host,
    port: flags.port,
    run: randomBytes(4).toString('hex'),
    secret,
    faults,
    journal,
    recorder,
    inspector,
    onNote: (text) => say(io, text),
  });
  port = await receiver.listen();
  if (flags.json)
    print(io, JSON.stringify({ type: 'ready', url: url(), inspector: `${url()}/_evfwd/` }));
  else say(io, `listening at ${url()}, inspector at ${url()}/_evfwd/`);
  const interruption = new Interruption(() => stop());
  await stopped;
  await receiver.close();
  interruption.end();
  lines.flush();
  if (flags.json) print(io, JSON.stringify({ type: 'summary', ...journal.stats }));
  if (failure) throw failure;
  io.exit(exitCodes.ok);
}
