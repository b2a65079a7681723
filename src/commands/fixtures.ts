import type { Command } from 'commander';
import type { Io } from './command.js';
import { addExamples, print } from './flags.js';

interface Flags {
  json?: boolean;
}

export function define(command: Command, io: Io): void {
  command
    .description('lists the built-in events, or prints one')
    .argument('[name]', 'which one to print; without it, all are listed')
    .option('--json', 'list them as JSON, one object a line');
  addExamples(command, [
    ['What there is', 'evfwd fixtures'],
    ['A month of a small shop, sent to a local receiver', historyExample],
    [
      'One of them, with another user',
      'evfwd send --fixture track --user-id me --url http://localhost:3000/hook --dry-run',
    ],
  ]);
  command.action((name: string | undefined, flags: Flags) => run(name, flags, io));
}

const historyExample = 'evfwd fixtures history | evfwd import - --url http://localhost:4400/';

async function run(name: string | undefined, flags: Flags, io: Io): Promise<void> {
  const { fixtureNames, historyName, readFixture, unknownFixture } =
    await import('../events/fixtures.js');
  const names = [...fixtureNames, historyName];
  if (name === undefined) {
    list(flags, io);
  } else if (name === historyName) {
    await printHistory(io);
  } else if (names.includes(name)) {
    print(io, (await readFixture(name)).toString());
  } else {
    throw unknownFixture(name, names);
  }
  io.exit(0);
}

const summaries = {
  identify: 'a new customer with an address',
  track: 'Order Completed, with two products',
  page: 'a product page, reached from a campaign',
  screen: 'the basket of an app',
  group: 'a user joins a company',
  alias: 'an anonymous visitor becomes a user',
  delete: 'a deletion notice, for webhooks only',
  history: '1,000 events of 120 users in 30 days, one a line',
} as const;

function list(flags: Flags, io: Io): void {
  for (const [name, summary] of Object.entries(summaries)) {
    const line = flags.json
      ? JSON.stringify({ type: 'fixture', name, summary })
      : `${name.padEnd(10)}${summary}`;
    print(io, line);
  }
}

async function printHistory(io: Io): Promise<void> {
  const { Readable } = await import('node:stream');
  const { pipeline } = await import('node:stream/promises');
  const { history } = await import('../events/history.js');
  try {
    await pipeline(Readable.from(withLineEnds(history())), io.stdout, { end: false });
  } catch (error) {
    // The reader of the pipe (`head`, for one) has all it wanted.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EPIPE' && code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

function* withLineEnds(lines: Iterable<string>): Generator<string, void> {
  for (const line of lines) yield `${line}\n`;
}
