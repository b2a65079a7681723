import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { delimiter } from 'node:path';

/** A process that serves the handlers of several schemes. */
export interface ReceiverProcess {
  /** The URL of a handler, by its name. */
  readonly urlOf: (name: string) => string;
  /** How often a text was printed. */
  readonly count: (text: string) => number;
  readonly stop: () => Promise<void>;
}

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

const readyMs = 90_000;

/**
 * Starts a program that listens on the port of `PORT`, with the handler `name` at `/name/hook`.
 * @throws Error with what it has printed, if it does not listen
 */
export async function startReceiver({
  command,
  args,
  cwd,
  env,
}: Program): Promise<ReceiverProcess> {
  const port = await freePort();
  let output = '';
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const read = (data: Buffer): void => {
    output += data.toString();
  };
  child.stdout.on('data', read);
  child.stderr.on('data', read);
  const stop = (): Promise<void> => stopGroup(child);
  try {
    await untilListening(port, child);
  } catch (error) {
    await stop();
    throw new Error(`${command} ${args.join(' ')}: ${String(error)}; it printed:\n${output}`);
  }
  return {
    urlOf: (name) => `http://127.0.0.1:${port}/${name}/hook`,
    count: (text) => output.split(text).length - 1,
    stop,
  };
}

async function untilListening(port: number, child: ChildProcess): Promise<void> {
  const end = Date.now() + readyMs;
  while (Date.now() < end) {
    if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}`);
    const isUp = await fetch(`http://127.0.0.1:${port}/up`).then(
      () => true,
      () => false,
    );
    if (isUp) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('does not listen');
}

/** The process and those that it has started. */
async function stopGroup(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  process.kill(-child.pid!, 'SIGKILL');
  await ended;
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** A Python that has these modules: that of the system may have more than the first one. */
export function withModules(folder: string): string {
  return [folder, process.env.PYTHONPATH].filter((one) => one !== undefined).join(delimiter);
}
