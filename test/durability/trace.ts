/** A system call as `strace -f -y -xx` prints it. Positions are line numbers of the trace. */
export interface Call {
  readonly name: string;
  /** The text between the parentheses. */
  readonly args: string;
  /** What it returned; -1 when it failed or never returned. */
  readonly result: number;
  /** Where it was entered. */
  readonly startedAt: number;
  /** Where it returned; equals `startedAt` when no other thread was seen in between. */
  readonly endedAt: number;
}

const unfinished = ' <unfinished ...>';
const thread = /^(\d+) +/;
const resumed = /^<\.\.\. (\w+) resumed>/;
const entered = /^(\w+)\(/;

/** Reads a trace. Calls are in the order in which they returned; other lines are skipped. */
export function parseTrace(text: string): Call[] {
  const calls: Call[] = [];
  const open = new Map<string, { readonly text: string; readonly startedAt: number }>();
  text.split('\n').forEach((line, at) => {
    const [prefix, id] = thread.exec(line) ?? [];
    if (prefix === undefined || id === undefined) return;
    const rest = line.slice(prefix.length);
    const continued = resumed.exec(rest);
    if (continued) {
      const begun = open.get(id);
      if (!begun) throw new Error(`line ${at + 1} of the trace resumes a call that was not begun`);
      open.delete(id);
      const whole = begun.text + rest.slice(continued[0].length);
      calls.push(callOf(whole, begun.startedAt, at));
    } else if (!entered.test(rest)) {
      return;
    } else if (rest.endsWith(unfinished)) {
      open.set(id, { text: rest.slice(0, -unfinished.length), startedAt: at });
    } else {
      calls.push(callOf(rest, at, at));
    }
  });
  return calls;
}

function callOf(text: string, startedAt: number, endedAt: number): Call {
  const [head = '', name = ''] = entered.exec(text) ?? [];
  const equals = text.lastIndexOf(' = ');
  const end = text.lastIndexOf(')', equals);
  const result = Number.parseInt(text.slice(equals + 3), 10);
  return {
    name,
    args: text.slice(head.length, end),
    result: Number.isNaN(result) ? -1 : result,
    startedAt,
    endedAt,
  };
}

/** The quoted strings of a call, in order. @throws when strace has truncated one */
export function stringsOf({ args }: Call): Buffer[] {
  const strings: Buffer[] = [];
  for (let from = args.indexOf('"'); from !== -1;) {
    const to = args.indexOf('"', from + 1);
    if (args.startsWith('...', to + 1)) throw new Error('the trace has a truncated string');
    strings.push(unescaped(args.slice(from + 1, to)));
    from = args.indexOf('"', to + 1);
  }
  return strings;
}

/** A file descriptor in the arguments or the result of a call, with its target. */
export interface Descriptor {
  readonly fd: number;
  /** The path of a file, or `socket:[1234]`; else empty. */
  readonly target: string;
}

const descriptor = /^(-?\w+)(?:<([^>]*)>(\(deleted\))?)?/;

/** The first argument, which must be a descriptor. A removed file has an empty target. */
export function descriptorOf({ args }: Call): Descriptor {
  const [, fd = '', target = '', deleted] = descriptor.exec(args) ?? [];
  return { fd: Number(fd), target: deleted ? '' : unescaped(target).toString() };
}

/** All arguments, split at commas outside of strings, lists and structures. */
export function argumentsOf({ args }: Call): string[] {
  const found: string[] = [];
  let depth = 0;
  let isQuoted = false;
  let from = 0;
  for (let at = 0; at < args.length; at++) {
    const char = args[at]!;
    if (char === '"') isQuoted = !isQuoted;
    if (isQuoted) continue;
    if ('[{(<'.includes(char)) depth++;
    if (']})>'.includes(char)) depth--;
    if (char === ',' && depth === 0) {
      found.push(args.slice(from, at).trim());
      from = at + 1;
    }
  }
  return [...found, args.slice(from).trim()];
}

function unescaped(text: string): Buffer {
  return text.includes('\\x') ? Buffer.from(text.replaceAll('\\x', ''), 'hex') : Buffer.from(text);
}
