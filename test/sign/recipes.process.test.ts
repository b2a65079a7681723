import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { beforeEach, describe, expect, it } from 'vitest';
import { afterEachTest } from '../helpers/after-each.js';
import { folderWith } from '../helpers/folder.js';
import { sign } from '../../src/sign/x-signature.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(join(root, 'docs/library.md'), 'utf8');

/** The example below a heading. */
function recipe(heading: string): string {
  return new RegExp(`^### ${heading}\\n[^]*?^\`\`\`[jt]s\\n([^]*?)^\`\`\`$`, 'm').exec(page)![1]!;
}

const secret = 'topsecret';
/** With what parsing and writing again would change. */
const body = '{ "type":"track","userId":9007199254740993,"total":1.0,"name":"\\u00fc" }\n';
const reencoded = JSON.stringify(JSON.parse(body));

/** Not installed here: the two functions of Express that the recipe calls. */
const express = `
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';

export default function express() {
  const routes = new Map();
  return {
    post: (path, ...handlers) => routes.set(path, handlers),
    listen: (...args) => createServer((request, response) => {
      response.status = (code) => ((response.statusCode = code), response);
      response.json = (value) => response.end(JSON.stringify(value));
      const [parse, handle] = routes.get(request.url);
      parse(request, response, () => handle(request, response));
    }).listen(...args),
  };
}
express.raw = () => async (request, _response, next) => {
  const body = await buffer(request);
  if (body.length > 0) request.body = body;
  next();
};
`;

/** A folder in which the packages that recipes import are found. */
function project(): string {
  const cwd = folderWith();
  mkdirSync(join(cwd, 'node_modules/express'), { recursive: true });
  symlinkSync(root, join(cwd, 'node_modules/evfwd'), 'junction');
  symlinkSync(join(root, 'node_modules/fastify'), join(cwd, 'node_modules/fastify'), 'junction');
  writeFileSync(
    join(cwd, 'node_modules/express/package.json'),
    '{"type":"module","main":"index.js"}',
  );
  writeFileSync(join(cwd, 'node_modules/express/index.js'), express);
  return cwd;
}

const running: ChildProcess[] = [];
afterEachTest(async () => {
  await Promise.all(
    running.splice(0).map((child) => {
      const ended = once(child, 'exit');
      child.kill();
      return ended;
    }),
  );
});

/** Runs a recipe with a free port in place of its own; returns its URL. */
async function started(code: string): Promise<string> {
  const ready = `{ process.send(this.address().port); }`;
  const onFreePort = code
    .replace(/^(server|app)\.listen\(4400\)/m, `$1.listen(0, function () ${ready})`)
    .replace(
      /^await app\.listen\(.*$/m,
      `await app.listen({ port: 0 });
process.send(app.server.address().port);`,
    );
  const child = spawn(process.execPath, ['--input-type=module', '--eval', onFreePort], {
    cwd: project(),
    env: { ...process.env, EVFWD_SECRET: secret },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  running.push(child);
  const [port] = (await once(child, 'message')) as [number];
  return `http://localhost:${port}/hook`;
}

/** The route handler of Next.js gets a standard request and returns a standard response. */
async function routeHandler(code: string): Promise<(request: Request) => Promise<Response>> {
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
  const { outputText } = ts.transpileModule(code, { compilerOptions });
  const file = join(project(), 'route.mjs');
  writeFileSync(file, outputText);
  const { POST } = (await import(file)) as { POST: (request: Request) => Promise<Response> };
  return POST;
}

type Post = (body: string | undefined, headers: Record<string, string>) => Promise<number>;

const servers = ['node:http', 'Express', 'Fastify'].map((name): [string, () => Promise<Post>] => [
  name,
  async () => {
    const url = await started(recipe(name));
    return async (text, headers) =>
      (await fetch(url, { method: 'POST', body: text ?? null, headers })).status;
  },
]);

const next: [string, () => Promise<Post>] = [
  'Next.js',
  async () => {
    const handle = await routeHandler(recipe('Next.js'));
    return async (text, headers) => {
      const request = new Request('http://localhost/hook', {
        method: 'POST',
        body: text ?? null,
        headers,
      });
      return (await handle(request)).status;
    };
  },
];

describe.each([...servers, next])('the receiver of the recipe for %s', (_name, start) => {
  let post: Post;
  beforeEach(async () => {
    process.env.EVFWD_SECRET = secret;
    post = await start();
  });

  const json = { 'content-type': 'application/json' };

  it('accepts what is signed, and nothing else', async () => {
    const signed = { ...json, 'x-signature': sign(body, secret) };
    expect(await post(body, signed)).toBe(200);
    expect(await post(reencoded, signed)).toBe(401);
    expect(await post(body.trim(), signed)).toBe(401);
    expect(await post(body, json)).toBe(401);
    expect(await post(body, { ...json, 'x-signature': sign(body, 'wrong') })).toBe(401);
    expect(await post(body, { ...json, 'x-signature': 'é'.repeat(40) })).toBe(401);
    expect(await post(undefined, {})).toBe(401);
    expect(await post('{', { ...json, 'x-signature': 'a'.repeat(40) })).toBe(401);
  });

  it.each(['text/plain', 'application/json; charset=utf-16', 'application/x-www-form-urlencoded'])(
    'verifies the bytes whatever the content type: %s',
    async (type) => {
      const headers = { 'content-type': type };
      expect(await post(body, { ...headers, 'x-signature': sign(body, secret) })).toBe(200);
      expect(await post(body, { ...headers, 'x-signature': sign(body, 'wrong') })).toBe(401);
    },
  );
});

it('no recipe runs without a secret', async () => {
  for (const name of ['node:http', 'Express', 'Fastify']) {
    expect(recipe(name)).toContain("if (!secret) throw new Error('EVFWD_SECRET is not set');");
  }
  delete process.env.EVFWD_SECRET;
  const handle = await routeHandler(recipe('Next.js'));
  const request = new Request('http://localhost/hook', { method: 'POST', body });
  await expect(handle(request)).rejects.toThrow(/secret is empty/);
});
