import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { program } from '../helpers/cli.js';
import { folderWith } from '../helpers/folder.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** What the reader of a page does with one of its blocks. */
export type Part =
  /** Saves it: the line before the block is its name, `like-this.yaml`. */
  | { readonly kind: 'file'; readonly name: string; readonly text: string }
  /** Pastes it: a block of `sh`. */
  | { readonly kind: 'commands'; readonly text: string }
  /** Types what stands after `$` in a block of `console`, and sees the rest. */
  | { readonly kind: 'example'; readonly command: string; readonly output: string };

/** The parts of a page, in its order; other blocks are for reading only. */
export function partsOf(markdown: string): Part[] {
  const blocks = markdown.matchAll(/(?:^`([\w./-]+)`:?\n\n)?^```(\w+)\n([^]*?)^```$/gm);
  return [...blocks].flatMap(([, name, language, text]): Part[] => {
    if (name !== undefined) return [{ kind: 'file', name, text: text! }];
    if (language === 'sh') return [{ kind: 'commands', text: text! }];
    return language === 'console' ? examplesOf(text!) : [];
  });
}

function examplesOf(block: string): Part[] {
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((example) => {
      const [command, output] = /^((?:.*\\\n)*.*)\n([^]*)$/.exec(example)!.slice(1);
      return { kind: 'example', command: command!, output: output! };
    });
}

interface Settings {
  /** The ports that the page names; each is another one in the test. */
  readonly ports: readonly number[];
  /** More variables of the environment; ports in them are those of the page. */
  readonly env?: Readonly<Record<string, string>>;
  /** Programs that are found before those of this machine: the text of a script, by its name. */
  readonly programs?: Readonly<Record<string, string>>;
}

/**
 * A bash in a folder of its own, for all commands of a page: what one exports or starts is there
 * for the next. The folder, which is its home, has the packages and the examples of a clone.
 */
export class Terminal {
  readonly #bash: ChildProcessWithoutNullStreams;
  /** The port of the test for each port of the page. */
  readonly #ports: ReadonlyMap<number, number>;
  readonly #open = new Set<number>();
  #cwd: string;
  #output = '';

  private constructor(
    cwd: string,
    env: Record<string, string>,
    ports: ReadonlyMap<number, number>,
  ) {
    this.#ports = ports;
    this.#cwd = cwd;
    // A group of its own, so that what was started in the background ends with it.
    this.#bash = spawn('bash', ['--noprofile', '--norc'], { cwd, env, detached: true });
    for (const stream of [this.#bash.stdout, this.#bash.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (this.#output += text));
  }

  /** It ends with the test. */
  static async open({ ports, env = {}, programs = {} }: Settings): Promise<Terminal> {
    const cwd = folderWith();
    mkdirSync(join(cwd, 'node_modules'));
    for (const name of ['express', 'stripe', 'vitest'])
      symlinkSync(join(root, 'node_modules', name), join(cwd, 'node_modules', name));
    symlinkSync(join(root, 'node_modules/.bin'), join(cwd, 'node_modules/.bin'));
    symlinkSync(root, join(cwd, 'node_modules/evfwd'));
    symlinkSync(join(root, 'examples'), join(cwd, 'examples'));
    const tools = folderWith();
    symlinkSync(program, join(tools, 'evfwd'));
    for (const [name, text] of Object.entries(programs))
      writeFileSync(join(tools, name), text, { mode: 0o755 });
    const { PATH = '' } = process.env;
    const path = [tools, dirname(process.execPath), PATH].join(delimiter);
    const free = await freePorts(ports.length);
    const actual = new Map(ports.map((port, i) => [port, free[i]!]));
    const own = Object.entries(env).map(([name, value]) => [name, translated(value, actual)]);
    const terminal = new Terminal(
      cwd,
      { PATH: path, HOME: cwd, NO_COLOR: '1', ...Object.fromEntries(own) },
      actual,
    );
    onTestFinished(() => terminal.#end());
    return terminal;
  }

  /** The folder where it is now. */
  get cwd(): string {
    return this.#cwd;
  }

  /** Does with each part what a reader does; examples print what the page says. */
  async follow(parts: readonly Part[]): Promise<void> {
    for (const part of parts) {
      if (part.kind === 'file') this.save(part.name, part.text);
      else if (part.kind === 'commands') {
        const { code, output } = await this.run(part.text);
        expect(code, `${part.text}\n${output}`).toBe(0);
      } else {
        const { output } = await this.run(part.command);
        expect(`$ ${part.command}\n${settled(output)}`).toMatch(
          likeness(`$ ${part.command}\n${settled(part.output)}`),
        );
      }
    }
  }

  save(name: string, text: string): void {
    const path = join(this.#cwd, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, this.#here(text));
  }

  /** Runs commands, both streams as on a terminal; a server that they start is ready then. */
  async run(commands: string): Promise<{ readonly code: number; readonly output: string }> {
    const end = `end-${Math.random().toString(36).slice(2)}`;
    const from = this.#output.length;
    this.#bash.stdin.write(`{ ${this.#here(commands)}\n} 2>&1 </dev/null; echo "${end} $? $PWD"\n`);
    const lastLine = new RegExp(`${end} (\\d+) (.+)\\n`);
    await expect.poll(() => this.#output, { timeout: 50_000 }).toMatch(lastLine);
    const [line, code, folder] = lastLine.exec(this.#output)!;
    this.#cwd = folder!;
    const output = this.#output.slice(from).replace(line, '');
    this.#output = '';
    if (/ &(?: +#.*)?$/m.test(commands)) await this.#serverStarted();
    return { code: Number(code), output };
  }

  #here(text: string): string {
    return translated(text, this.#ports);
  }

  /** Waits until one more of the ports is in use. */
  async #serverStarted(): Promise<void> {
    const closed = [...this.#ports.values()].filter((port) => !this.#open.has(port));
    await expect
      .poll(async () => {
        const started = await Promise.all(closed.map(isListening));
        closed.forEach((port, i) => started[i] && this.#open.add(port));
        return started;
      })
      .toContain(true);
  }

  async #end(): Promise<void> {
    const ended = once(this.#bash, 'exit');
    process.kill(-this.#bash.pid!, 'SIGKILL');
    await ended;
  }
}

/** The text of a page with the ports of the test. */
function translated(text: string, ports: ReadonlyMap<number, number>): string {
  let result = text;
  for (const [port, actual] of ports) {
    result = result.replace(new RegExp(`\\b${port}\\b`, 'g'), String(actual));
    if (port === 4400) result = result.replace(/evfwd listen\b/g, `$& --port ${actual}`);
    if (port === 4500) result = result.replace(/evfwd serve\b/g, `$& --port ${actual}`);
  }
  return result;
}

async function freePorts(count: number): Promise<number[]> {
  // All at once, so that they differ.
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, 'localhost');
    const end = (is: boolean) => {
      socket.destroy();
      resolve(is);
    };
    socket.on('connect', () => end(true)).on('error', () => end(false));
  });
}

/** Times, ports and the hash of a state differ from run to run; everything else must not. */
function settled(text: string): string {
  return text
    .replace(/(localhost|127\.0\.0\.1):\d+/g, '$1')
    .replace(/^in .*$/gm, 'in …')
    .replace(/[\d.]+ ms/g, 'ms')
    .replace(/"durationMs":\d+/g, '"durationMs":')
    .replace(/ +\d+\/s/g, ' /s')
    .replace(/ checks in \d+ s/, ' checks in s')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/, 'UTC')
    .replace(/-[0-9a-f]{8,12}(?=[.-])/g, '-')
    .trim();
}

/** A line that is only `…` stands for any lines. */
function likeness(text: string): RegExp {
  const parts = text.split(/^ *…$\n?/m).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^]*')}$`);
}
