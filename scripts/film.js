// Makes the film of the README, an SVG, of what the program prints when the commands below are run:
//   npm run build && node scripts/film.js > docs/images/film.svg
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  background,
  baseline,
  charWidth,
  left,
  prompt,
  terminal,
  textLine,
  withoutColors,
} from './terminal-svg.js';

const root = fileURLToPath(new URL('../', import.meta.url));
const columns = 90;
/** Seconds. */
const perCharacter = 0.03;
const perNote = 0.8;
const beforeOutput = 0.6;
const toReadCommand = 1;
const toReadLine = 0.5;
const afterScene = 3;

const verify = 'evfwd verify-sig';
const signature = '--header "$HEADER"';
const check = 'evfwd check http://localhost:3000/hook --scheme stripe --only sign';
const scenes = [
  [
    '# a webhook is refused',
    `${verify} logged.json ${signature}`,
    '# why?',
    `${verify} logged.json ${signature} --explain`,
    '# with the bytes as they came',
    `${verify} raw.json ${signature}`,
  ],
  [
    '# check the handler that refused it',
    'node handler.js &',
    `${check} | head -n 6`,
    '# the fix: verify the raw body',
    "diff --color=always handler.js fixed.js | grep -E 'express|constructEvent'",
    'kill %1; node fixed.js &',
    `${check} | head -n 4`,
  ],
];

const run = await shell();
const shown = [];
for (const scene of scenes) shown.push(await played(scene));
await run.end();
process.stdout.write(film(shown));

/** A bash in a folder with the files of the film, and what it prints for a command. */
async function shell() {
  const cwd = mkdtempSync(join(tmpdir(), 'evfwd-film-'));
  const port = await freePort();
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  symlinkSync(join(root, 'bin/evfwd.js'), join(cwd, 'evfwd'));
  symlinkSync(join(root, 'node_modules'), join(cwd, 'node_modules'));
  writeFileSync(join(cwd, 'package.json'), '{"type":"module"}');
  copyFileSync(join(root, 'examples/receivers/express/stripe-wrong.js'), join(cwd, 'handler.js'));
  copyFileSync(join(root, 'examples/receivers/express/stripe.js'), join(cwd, 'fixed.js'));
  writeFileSync(join(cwd, 'raw.json'), '{"id":"evt_1","type":"invoice.paid"}');
  writeFileSync(join(cwd, 'logged.json'), '{ "id": "evt_1", "type": "invoice.paid" }\n');
  const env = {
    ...{ PATH: [cwd, process.env.PATH].join(delimiter), HOME: cwd, FORCE_COLOR: '1' },
    ...{ PORT: String(port), WEBHOOK_SECRET: secret, EVFWD_SECRET: secret },
  };
  const bash = (command) =>
    new Promise((resolve) => {
      execFile('bash', ['-c', `${command} 2>&1`], { cwd, env }, (_error, stdout) =>
        resolve(stdout.trimEnd()),
      );
    });
  env.HEADER = `Stripe-Signature: ${await bash('evfwd sign raw.json --scheme stripe')}`;
  let server;
  const stop = async () => {
    if (server === undefined) return;
    const ended = once(server, 'close');
    server.kill();
    await ended;
  };
  return {
    output: async (command) => {
      const [, file] = /(?:^|; )node (\S+) &$/.exec(command) ?? [];
      if (file === undefined)
        return bash(command.replaceAll('localhost:3000', `localhost:${port}`));
      await stop();
      server = spawn(process.execPath, [file], { cwd, env, stdio: 'ignore' });
      while (!(await isListening(port))) await sleep(50);
      return '';
    },
    end: async () => {
      await stop();
      rmSync(cwd, { recursive: true });
    },
  };
}

/** The lines of a scene, each with whether it is typed. */
async function played(commands) {
  const lines = [];
  for (const command of commands) {
    if (command.startsWith('#')) {
      if (lines.length > 0) lines.push({ text: '' });
      lines.push({ text: `\u001b[2m${command}\u001b[22m`, isNote: true });
      continue;
    }
    const [first, ...more] = wrapped(prompt(command));
    lines.push({ text: first, isTyped: true }, ...more.map((text) => ({ text, isTyped: true })));
    const output = await run.output(command);
    const printed = output === '' ? [] : output.split('\n').flatMap(wrapped);
    lines.push(...printed.map((text) => ({ text, printed: printed.length })));
  }
  return lines;
}

/** As a terminal of this width breaks a line. */
function wrapped(line) {
  const rows = [];
  let row = '';
  let color = '';
  let width = 0;
  for (const part of line.split(/(\u001b\[\d+m)/)) {
    if (part.startsWith('\u001b')) {
      row += part;
      color = part;
      continue;
    }
    for (const character of part) {
      if (width === columns) {
        rows.push(row);
        row = color;
        width = 0;
      }
      row += character;
      width++;
    }
  }
  return [...rows, row];
}

/** When each scene and each of its lines appears. */
function timed(parts) {
  let now = 0;
  const scenes = parts.map((lines) => {
    const from = now;
    now += perNote / 2;
    const result = lines.map((line, i) => {
      const at = now;
      const length = withoutColors(line.text).length;
      const next = lines[i + 1];
      if (line.isNote) now += perNote;
      if (line.isTyped) now += length * perCharacter + (next?.isTyped ? 0 : beforeOutput);
      // All of an output is there at once.
      if (line.printed !== undefined && !next?.printed)
        now += toReadCommand + line.printed * toReadLine;
      return { ...line, length, at };
    });
    now += afterScene;
    return { from, to: now, lines: result };
  });
  return { scenes, total: now };
}

function film(parts) {
  const { scenes, total } = timed(parts);
  const percent = (time) => `${((100 * time) / total).toFixed(2)}%`;
  const rules = [];
  /** The class of what is there from one time to another; by default to the end. */
  const during = (name, from, to = total) => {
    const end = to < total ? `${percent(to)}{opacity:0}` : '';
    rules.push(
      `@keyframes ${name}{0%{opacity:0}${percent(from)}{opacity:1}${end}}`,
      `.${name}{animation-name:${name}}`,
    );
    return `a ${name}`;
  };
  const groups = scenes.map(({ from, to, lines }, scene) => {
    const elements = lines.flatMap((line, row) => {
      if (line.text === '') return [];
      const name = `l${scene}-${row}`;
      const text = textLine(line.text, row, ` class="${during(name, line.at)}"`);
      return line.isTyped ? [text, typing(line, row, name, percent, rules)] : [text];
    });
    const last = to === total ? ' last' : '';
    return `<g class="${during(`s${scene}`, from, to)}${last}">\n${elements.join('\n')}\n</g>`;
  });
  const style = `<style>
.a{animation-duration:${total.toFixed(1)}s;animation-timing-function:step-end;animation-iteration-count:infinite}
.h{opacity:0;transform-box:fill-box;transform-origin:right}
${rules.join('\n')}
@media (prefers-reduced-motion:reduce){.a{animation:none}g.a{opacity:0}g.last{opacity:1}}
</style>
`;
  const lines = Math.max(...parts.map(({ length }) => length));
  return terminal({ lines, columns, content: groups.join('\n'), style });
}

/** What hides the characters of a line that are not typed yet, and the cursor before them. */
function typing(line, row, name, percent, rules) {
  const start = line.text.startsWith(prompt('')) ? 2 : 0;
  const count = line.length - start;
  const x = left + start * charWidth;
  const width = (count * charWidth).toFixed(1);
  const [from, to] = [percent(line.at), percent(line.at + count * perCharacter)];
  const gone = percent(line.at + count * perCharacter + beforeOutput);
  const during = (start, end) =>
    `{0%{opacity:0}${from}{opacity:1;transform:${start};animation-timing-function:steps(${count})}${to}{opacity:1;transform:${end};animation-timing-function:step-end}${gone}{opacity:0}}`;
  rules.push(
    `@keyframes ${name}h${during('none', 'scaleX(0)')}`,
    `.${name}h{animation-name:${name}h}`,
    `@keyframes ${name}c${during('none', `translateX(${width}px)`)}`,
    `.${name}c{animation-name:${name}c}`,
  );
  const rect = (className, size, fill) =>
    `<rect class="a h ${name}${className}" x="${x.toFixed(1)}" y="${baseline(row) - 15}" width="${size}" height="20" fill="${fill}"/>`;
  return rect('h', width, background) + rect('c', charWidth, '#8b949e');
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  await once(server.close(), 'close');
  return port;
}

function isListening(port) {
  return new Promise((resolve) => {
    const socket = connect(port, 'localhost');
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}
