import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Framework } from '../../../../src/check/fixes/frameworks.js';
import { findPython } from '../../../helpers/python.js';
import type { Program } from './receiver-process.js';

/** A handler, as it would be pasted into a file. */
export interface Pasted {
  /** Letters and digits; the handler answers at `/name/hook`. */
  readonly name: string;
  readonly code: string;
}

type Files = Record<string, string>;

/** What a framework needs around handlers to run: the files of a program, and how it is started. */
interface Around {
  readonly files: (pasted: readonly Pasted[]) => Files;
  readonly start: (folder: string) => Pick<Program, 'command' | 'args'>;
}

const node = (): Pick<Program, 'command' | 'args'> => ({
  command: process.execPath,
  args: ['main.js'],
});

/** Imports stand above, wherever they are written. */
function jsModules(pasted: readonly Pasted[], before: string, after: string): Files {
  const files = pasted.map(({ name, code }): [string, string] => [
    `${name}.js`,
    `${before}\n${code}\n${after}\n`,
  ]);
  return { 'package.json': '{ "type": "module" }', ...Object.fromEntries(files) };
}

const jsImports = (pasted: readonly Pasted[], what: string): string =>
  pasted.map(({ name }) => `import { ${what} as ${name} } from './${name}.js';`).join('\n');

const names = (pasted: readonly Pasted[]): string => pasted.map(({ name }) => name).join(', ');

const express: Around = {
  start: node,
  files: (pasted) => ({
    ...jsModules(pasted, 'const app = express.Router();', 'export { app };'),
    'main.js': `import express from 'express';
${jsImports(pasted, 'app')}
const main = express();
for (const [name, app] of Object.entries({ ${names(pasted)} })) main.use('/' + name, app);
main.listen(Number(process.env.PORT), '127.0.0.1');
`,
  }),
};

const nextjs: Around = {
  start: node,
  files: (pasted) => ({
    ...jsModules(pasted, '', ''),
    // What Next.js does is to call the function, and to run \`after\` when the response has ended.
    'main.js': `import { createServer } from 'node:http';
import { Readable } from 'node:stream';
${jsImports(pasted, 'POST')}
const routes = { ${names(pasted)} };
const server = createServer(async (req, res) => {
  const POST = routes[req.url.split(/[/?]/)[1]];
  if (!POST || req.method !== 'POST') return res.writeHead(POST ? 405 : 404).end();
  try {
    const url = 'http://' + req.headers.host + req.url;
    const init = { method: 'POST', headers: req.headers, body: Readable.toWeb(req), duplex: 'half' };
    const response = await POST(new Request(url, init));
    res.writeHead(response.status, [...response.headers].flat());
    res.end(Buffer.from(await response.arrayBuffer()));
  } catch (error) {
    console.error(error);
    if (!res.headersSent) res.writeHead(500).end();
  }
});
server.listen(Number(process.env.PORT), '127.0.0.1');
`,
    'node_modules/next/package.json':
      '{ "type": "module", "exports": { "./server": "./server.js" } }',
    'node_modules/next/server.js': 'export const after = (work) => setImmediate(work);\n',
  }),
};

const fastify: Around = {
  start: node,
  files: (pasted) => ({
    // The imports have to stand outside of the function that gets \`app\`.
    ...jsModules(
      pasted.map(({ name, code }) => ({ name, code: asPlugin(code) })),
      '',
      '',
    ),
    'main.js': `import fastify from 'fastify';
${jsImports(pasted, 'plugin')}
const app = fastify();
for (const [name, plugin] of Object.entries({ ${names(pasted)} }))
  app.register(plugin, { prefix: '/' + name });
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
`,
  }),
};

function asPlugin(code: string): string {
  const imports = code.match(/^import .*$/gm) ?? [];
  const rest = code.replace(/^import .*$/gm, '');
  return `${imports.join('\n')}\nexport async function plugin(app) {\n${rest}\n}`;
}

const pyFiles = (pasted: readonly Pasted[], before: string): Files =>
  Object.fromEntries(pasted.map(({ name, code }) => [`${name}.py`, `${before}\n${code}\n`]));

const pyImports = (pasted: readonly Pasted[]): string =>
  pasted.map(({ name }) => `import ${name}`).join('\n');

const fastapi: Around = {
  start: () => ({ command: findPython()!, args: ['main.py'] }),
  files: (pasted) => ({
    ...pyFiles(pasted, 'from fastapi import FastAPI\napp = FastAPI()'),
    'main.py': `import os
import uvicorn
from fastapi import FastAPI
${pyImports(pasted)}
main = FastAPI()
for module in [${names(pasted)}]:
    main.mount("/" + module.__name__, module.app)
uvicorn.run(main, host="127.0.0.1", port=int(os.environ["PORT"]), timeout_keep_alive=30)
`,
  }),
};

const flask: Around = {
  start: () => ({
    command: findPython()!,
    args: ['-u', '-m', 'gunicorn', 'main:main', '-c', 'gunicorn.conf.py'],
  }),
  files: (pasted) => ({
    ...pyFiles(pasted, 'from flask import Flask\napp = Flask(__name__)'),
    'main.py': `from flask import Flask
from werkzeug.middleware.dispatcher import DispatcherMiddleware
${pyImports(pasted)}
modules = [${names(pasted)}]
main = DispatcherMiddleware(Flask(__name__), {"/" + one.__name__: one.app for one in modules})
`,
    'gunicorn.conf.py': `import os
bind = "127.0.0.1:" + os.environ["PORT"]
worker_class = "gthread"
threads = 32
keepalive = 30
`,
  }),
};

const go: Around = {
  start: (folder) => ({ command: join(folder, 'receiver'), args: [] }),
  files: (pasted) => ({
    'go.mod': 'module receiver\n\ngo 1.19\n',
    ...Object.fromEntries(
      pasted.flatMap(({ name, code }) => [
        [`${name}/hook.go`, code.replace(/^package main$/m, `package ${name}`)],
        [`${name}/export.go`, `package ${name}\n\nvar Hook = hook\n`],
      ]),
    ),
    'main.go': `package main

import (
	"log"
	"net/http"
	"os"
${pasted.map(({ name }) => `\t"receiver/${name}"`).join('\n')}
)

func main() {
${pasted.map(({ name }) => `\thttp.HandleFunc("/${name}/hook", ${name}.Hook)`).join('\n')}
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}
`,
  }),
};

const rails: Around = {
  start: () => ({ command: 'ruby', args: ['main.rb'] }),
  files: (pasted) => ({
    ...Object.fromEntries(
      pasted.map(({ name, code }) => [`${name}.rb`, `module ${capital(name)}\n${code}\nend\n`]),
    ),
    'main.rb': `$stdout.sync = true
require "action_controller/railtie"
require "puma"
require "puma/server"
class Receiver < Rails::Application
  config.load_defaults 6.1
  config.eager_load = true
  config.consider_all_requests_local = false
  config.secret_key_base = "x" * 64
  config.hosts.clear
  config.log_level = :error
  config.logger = Logger.new($stderr)
end
Receiver.initialize!
${pasted.map(({ name }) => `require "./${name}"`).join('\n')}
Rails.application.routes.draw do
${pasted.map(({ name }) => `  post "/${name}/hook", to: "${name}/hooks#create"`).join('\n')}
end
server = Puma::Server.new(Rails.application, Puma::Events.strings, min_threads: 16, max_threads: 16)
server.add_tcp_listener("127.0.0.1", ENV["PORT"].to_i)
server.run.join
`,
  }),
};

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const laravel: Around = {
  start: () => ({ command: 'php', args: ['serve.php'] }),
  files: (pasted) => ({
    ...Object.fromEntries(
      pasted.map(({ name, code }) => [
        `${name}.php`,
        code.replace(/^namespace .*;$/m, `namespace App\\Http\\Controllers\\${capital(name)};`),
      ]),
    ),
    'serve.php': `<?php
$server = [PHP_BINARY, '-d', 'opcache.enable_cli=1', '-S', '127.0.0.1:' . getenv('PORT'), 'main.php'];
pcntl_exec(array_shift($server), $server, getenv() + ['PHP_CLI_SERVER_WORKERS' => '4']);
`,
    'main.php': `<?php
use Illuminate\\Contracts\\Debug\\ExceptionHandler;
use Illuminate\\Contracts\\Http\\Kernel;
use Illuminate\\Support\\Facades\\Route;
error_reporting(E_ALL & ~E_DEPRECATED);
require 'Illuminate/autoload.php';
$app = new Illuminate\\Foundation\\Application(__DIR__);
$app->singleton(Kernel::class, Illuminate\\Foundation\\Http\\Kernel::class);
$app->singleton(ExceptionHandler::class, Illuminate\\Foundation\\Exceptions\\Handler::class);
$kernel = $app->make(Kernel::class);
$kernel->bootstrap();
[, $name] = explode('/', $_SERVER['REQUEST_URI']);
if (is_file("$name.php")) { // one alone, since each request starts anew
    require "$name.php";
    Route::post("/$name/hook", 'App\\\\Http\\\\Controllers\\\\' . ucfirst($name) . '\\\\HookController');
}
$request = Illuminate\\Http\\Request::capture();
$response = $kernel->handle($request);
$response->send();
$kernel->terminate($request, $response);
`,
    'config/app.php': `<?php
return [
    'env' => 'production', 'debug' => false, 'timezone' => 'UTC', 'locale' => 'en',
    'fallback_locale' => 'en', 'key' => 'base64:' . base64_encode(str_repeat('x', 32)),
    'cipher' => 'AES-256-CBC', 'url' => 'http://localhost', 'aliases' => [],
    'providers' => [
        Illuminate\\Cache\\CacheServiceProvider::class,
        Illuminate\\Filesystem\\FilesystemServiceProvider::class,
        Illuminate\\Foundation\\Providers\\FoundationServiceProvider::class,
        Illuminate\\View\\ViewServiceProvider::class,
    ],
];
`,
    'config/cache.php': `<?php
return ['default' => 'file', 'prefix' => '', 'stores' => ['file' => ['driver' => 'file', 'path' => __DIR__ . '/../cache']]];
`,
    'config/logging.php': `<?php
return ['default' => 'stderr', 'channels' => ['stderr' => [
    'driver' => 'monolog', 'handler' => Monolog\\Handler\\StreamHandler::class, 'with' => ['stream' => 'php://stderr'],
]]];
`,
    'config/view.php': `<?php
return ['paths' => [], 'compiled' => __DIR__ . '/../cache'];
`,
    'bootstrap/cache/empty': '',
    'cache/empty': '',
  }),
};

const arounds: Readonly<Record<Framework, Around>> = {
  Express: express,
  'Next.js': nextjs,
  Fastify: fastify,
  FastAPI: fastapi,
  Flask: flask,
  Go: go,
  Rails: rails,
  Laravel: laravel,
};

const modules = fileURLToPath(new URL('../../../../node_modules', import.meta.url));

/** Writes a program that serves these handlers into a folder. */
export function writeProgram(
  framework: Framework,
  folder: string,
  pasted: readonly Pasted[],
): Pick<Program, 'command' | 'args' | 'cwd'> {
  const { files, start } = arounds[framework];
  for (const [name, text] of Object.entries(files(pasted))) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  // Packages are found from the folder of a file upwards.
  for (const name of ['express', 'fastify']) {
    mkdirSync(join(folder, 'node_modules'), { recursive: true });
    symlinkSync(join(modules, name), join(folder, 'node_modules', name));
  }
  return { ...start(folder), cwd: folder };
}
