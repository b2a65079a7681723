import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { program } from '../helpers/cli.js';
import { hasTool } from '../helpers/tools.js';
import { partsOf, Terminal } from './page.js';

const docs = new URL('../../docs/', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, docs), 'utf8');
const recipes = readdirSync(new URL('recipes/', docs)).sort();

const hasNginx = hasTool('nginx');

/** What a test must not do, or cannot do here. */
const programs = {
  // The packages are there already.
  npm: '#!/bin/sh\n',
  git: '#!/bin/sh\n',
  // Docker needs a daemon, and its build a registry. The image runs what stands after its name, so
  // here the program does, in the folder that would be mounted.
  docker: `#!/bin/sh
[ "$1" = build ] && exit
case "$*" in *"-v $PWD:/data -w /data"*) ;; *) exit 125 ;; esac
while [ "$1" != evfwd ]; do shift; done
shift
exec '${process.execPath}' '${program}' "$@"
`,
  // The table of the user is a file of the test.
  crontab: '#!/bin/sh\nif [ "$1" = -l ]; then exit 1; else cat > crontab.txt; fi\n',
  // nginx runs with a file of the test in place of those in /etc/nginx, and need not be reloaded.
  sudo: `#!/bin/sh
case "$*" in
  'nginx -t') exec nginx -p "$PWD" -c main.conf -t ;;
  'nginx -s reload') exec nginx -p "$PWD" -c main.conf ;;
  cp*) ;;
  *) exit 1 ;;
esac
`,
};

const open = (): Promise<Terminal> =>
  Terminal.open({ ports: [3000, 4400, 4500, 8080], env: { PORT: '3000' }, programs });
const follow = async (file: string): Promise<Terminal> => {
  const terminal = await open();
  await terminal.follow(partsOf(read(`recipes/${file}`)));
  return terminal;
};

describe('each recipe does what it says, pasted from top to bottom', () => {
  const tested = ['cron.md', 'nginx.md', 'stripe-express-vitest.md'];
  it.each(recipes.filter((file) => !tested.includes(file)))('%s', async (file) => {
    await follow(file);
  });

  it('stripe-express-vitest.md, with a test that fails for a handler that parses the body', async () => {
    const terminal = await follow('stripe-express-vitest.md');
    await terminal.run(`sed -i 's/express[.]raw(.*), (req/express.json(), (req/' app.mjs`);
    const { code, output } = await terminal.run('npx vitest run');
    expect(code).toBe(1);
    expect(output).toContain('every valid event was refused (HTTP 400)');
  });

  it('cron.md, with a line that cron can run', async () => {
    const terminal = await follow('cron.md');
    const [path, job, ...more] = readFileSync(join(terminal.cwd, 'crontab.txt'), 'utf8')
      .trim()
      .split('\n');
    expect([path, more]).toEqual(['PATH=/usr/local/bin:/usr/bin:/bin', []]);
    const [, command] = /^\*\/15 \* \* \* \* ([^%]+)$/.exec(job!)!;
    // cron starts its jobs at home.
    expect(await terminal.run(`cd && sh -c '${command!}'`)).toEqual({ code: 0, output: '' });
    const log = await terminal.run('cat ~/orders/import.log');
    expect(log.output).toContain('skipped    2  (2 delivered by an earlier run)');
    const failing = command!.replace('--profile crm', '--profile none');
    const mail = await terminal.run(`cd && sh -c '${failing}'`);
    expect(mail.output).toBe('exit 2, see import.log\n');
  });

  it.skipIf(!hasNginx)('nginx.md', async () => {
    const terminal = await open();
    const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
    const paths = folders.map((name) => `${name}_temp_path ${name};`).join(' ');
    terminal.save(
      'main.conf',
      `pid nginx.pid; error_log stderr; events {} http { access_log off; ${paths} include evfwd.conf; }`,
    );
    try {
      await terminal.follow(partsOf(read('recipes/nginx.md')));
    } finally {
      // It runs on by itself.
      await terminal.run('nginx -p "$PWD" -c main.conf -s stop');
    }
  });
});

it('docs/README.md lists all of them', () => {
  const listed = [...read('README.md').matchAll(/\]\(recipes\/([\w-]+\.md)\)/g)];
  expect(listed.map(([, file]) => file).sort()).toEqual(recipes);
});

it('the job of github-ci.md starts the handler, waits for it, and writes its reports', async () => {
  const terminal = await open();
  const files = partsOf(read('recipes/github-ci.md')).filter((part) => part.kind === 'file');
  await terminal.follow(files);
  const workflow = parse(files[1]!.text) as {
    jobs: { check: { env: Record<string, string>; steps: { run?: string }[] } };
  };
  const { env, steps } = workflow.jobs.check;
  const commands = steps.flatMap(({ run = '' }) =>
    /^(?:|.*\bgit .*|.*\bnpm .*)$/.test(run) ? [] : [run],
  );
  expect(commands).toHaveLength(3);
  const variables = Object.entries({ ...env, GITHUB_STEP_SUMMARY: 'summary.md' });
  await terminal.run(variables.map(([name, value]) => `export ${name}=${value}`).join('\n'));
  for (const text of commands) await terminal.follow([{ kind: 'commands', text }]);
  const reports = await terminal.run('cat check.xml summary.md');
  expect(reports.output).toMatch(/<testsuites[^>]* failures="0"[^]*score 100/i);
});
