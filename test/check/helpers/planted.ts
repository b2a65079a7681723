import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { formType } from '../../../src/check/events.js';
import { checksFor } from '../../../src/check/groups/index.js';
import { senderOf } from '../../../src/check/senders/index.js';
import type { CheckReport } from '../../../src/check/result.js';
import { runChecks } from '../../../src/check/run.js';
import { selectChecks, type Selection } from '../../../src/check/select.js';
import type { CheckSettings } from '../../../src/check/settings.js';
import { presets } from '../../../src/sign/schemes/index.js';
import type { Answer, Hook } from './hook.js';
import { secret, verifiers } from './right-endpoints.js';

/** What is wrong with a receiver that is right in all else. */
export interface Bug {
  /** Default `x-signature`. */
  readonly scheme?: string;
  /** In place of the right verification. */
  readonly verify?: (hook: Hook) => boolean | Promise<boolean>;
  /** The answer to what is not signed rightly. Default 401. */
  readonly refuse?: (hook: Hook) => Answer;
  /** The answer to an event that is signed rightly and is JSON; undefined: 204. */
  readonly handle?: (event: PlantedEvent, hook: Hook) => Answer | undefined | Promise<Answer>;
  /** The answer to what is not JSON. Default 400. */
  readonly broken?: Answer;
  /** Sees each request first; true if it deals with it. */
  readonly before?: (
    request: IncomingMessage,
    response: ServerResponse,
    server: Server,
  ) => boolean | undefined;
  /** Writes the answer. */
  readonly respond?: (response: ServerResponse, answer: Answer) => void;
}

/** A body as a careless receiver sees it. */
export interface PlantedEvent {
  readonly type: string;
  readonly messageId?: string;
  readonly userId?: string;
  readonly timestamp: string;
  readonly properties?: object;
}

/** Runs the checks against a receiver with a bug; without one it is right. */
export async function check(
  bug: Bug,
  changes: Partial<CheckSettings> = {},
  selection: Selection = { skip: ['http.idle'] },
): Promise<CheckReport> {
  const server = createServer((request, response) => void serve(bug, request, response, server));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    const settings = settingsOf(`http://127.0.0.1:${port}/hook`, bug, changes);
    const { signal } = new AbortController();
    return await runChecks({
      checks: selectChecks(checksFor(settings), selection, settings.sender.usual.name),
      settings,
      signal,
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** What a report says against a receiver: `fail sign.missing`, `warn tolerate.emoji`, … */
export function against({ results }: CheckReport): string[] {
  return results
    .filter(({ verdict }) => verdict === 'fail' || verdict === 'warn')
    .map(({ check: { id }, verdict }) => `${verdict} ${id}`);
}

/** The checks that could not be judged. */
export function inconclusiveIn({ results }: CheckReport): string[] {
  return results.filter(({ verdict }) => verdict === 'na').map(({ check: { id } }) => id);
}

function settingsOf(url: string, { scheme }: Bug, changes: Partial<CheckSettings>): CheckSettings {
  return {
    url: new URL(url),
    headers: [],
    signing: { scheme: presets.get(scheme ?? 'x-signature')!, secrets: [secret] },
    sender: senderOf(presets.get(scheme ?? 'x-signature')),
    ca: [],
    deadlineMs: 5_000,
    rate: 1_000,
    isStrict: false,
    ...changes,
  };
}

async function serve(
  bug: Bug,
  request: IncomingMessage,
  response: ServerResponse,
  server: Server,
): Promise<void> {
  if (bug.before?.(request, response, server)) return;
  try {
    const body = await buffer(request);
    const header = (name: string) => [request.headers[name.toLowerCase()] ?? ''].flat()[0]!;
    const url = `http://${request.headers.host}${request.url}`;
    const answer = await answerOf(bug, { body, url, header, incoming: request });
    (bug.respond ?? respond)(response, answer);
  } catch {
    // The sender hung up.
    response.destroy();
  }
}

async function answerOf(bug: Bug, hook: Hook): Promise<Answer> {
  if (hook.incoming.method !== 'POST') return 405;
  const verify = bug.verify ?? verifiers[bug.scheme ?? 'x-signature']!;
  if (!(await verify(hook))) return bug.refuse?.(hook) ?? 401;
  const event = parsed(hook);
  if (event === undefined) return bug.broken ?? 400;
  return (await bug.handle?.(event, hook)) ?? 204;
}

function parsed({ body, header }: Hook): PlantedEvent | undefined {
  if (header('content-type') === formType) {
    return Object.fromEntries(new URLSearchParams(body.toString())) as unknown as PlantedEvent;
  }
  try {
    return JSON.parse(body.toString()) as PlantedEvent;
  } catch {
    return undefined;
  }
}

export function respond(response: ServerResponse, answer: Answer): void {
  const [status, text] = typeof answer === 'number' ? [answer, ''] : answer;
  response.writeHead(status).end(text);
}
