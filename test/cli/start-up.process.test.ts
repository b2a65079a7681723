import { once } from 'node:events';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, it } from 'vitest';
import { sign } from '../../src/sign/x-signature.js';
import { cli, program, start } from '../helpers/cli.js';
import { folderWith } from '../helpers/folder.js';
import { execFileSync, spawnSync } from '../helpers/run-sync.js';

/** Writes on standard error what a process has loaded until its end. */
const witness = `
process.on('exit', () => {
  const files = Object.keys(require.cache).filter((path) => path !== __filename);
  require('node:fs').writeSync(2, JSON.stringify({ files, builtins: process.moduleLoadList }));
});
`;

interface Loaded {
  readonly files: readonly string[];
  readonly builtins: readonly string[];
}

let folder: string;

beforeEach(() => {
  folder = folderWith({
    'witness.cjs': witness,
    'nothing.cjs': '',
    'body.json': '{}',
    'secret.txt': 'k\n',
  });
});

/** What a run loads beside what Node itself does, its own files by their names. */
function loadedBy(...args: string[]): Loaded {
  const { files, builtins } = loaded(program, ...args);
  const ofNode = new Set(loaded(join(folder, 'nothing.cjs')).builtins);
  return { files, builtins: builtins.filter((name) => !ofNode.has(name)) };
}

function loaded(...args: string[]): Loaded {
  const argv = ['--require', join(folder, 'witness.cjs'), ...args];
  const { stderr } = spawnSync(process.execPath, argv, {
    cwd: folder,
    env: { PATH: process.env.PATH },
    encoding: 'utf8',
  });
  const { files, builtins } = JSON.parse(stderr) as Loaded;
  return { files: files.map((path) => basename(path)), builtins };
}

/** Each of these takes 1 to 4 ms to load. */
const slow =
  /^NativeModule (?:net|tls|tty|child_process|worker_threads|http|zlib|fs\/promises|internal\/fs\/streams|internal\/modules\/esm\/load)$/;

const signature = sign('{}', 'k');
const verification = [
  'verify-sig',
  'body.json',
  '--signature',
  signature,
  '--secret-file',
  'secret.txt',
];

/** The few helpers of the bundler. */
const runtime = 'rolldown-runtime.cjs';

describe('what is loaded', () => {
  it.each([
    ['--version', ['--version'], ['evfwd.js', 'evfwd.cjs', runtime]],
    ['--help', ['--help'], ['evfwd.js', 'evfwd.cjs', runtime]],
    ['verify-sig', verification, ['evfwd.js', 'evfwd.cjs', runtime, 'signature.cjs']],
  ])('by %s is no file and no slow module more than it needs', (_, args, files) => {
    const loaded = loadedBy(...args);
    expect(loaded.files).toEqual(files);
    expect(loaded.builtins.filter((name) => slow.test(name))).toEqual([]);
  });
});

describe('standard output', () => {
  it('may be closed before a short answer is written', async () => {
    const child = start(['--help']);
    child.stdout.destroy();
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('may be a file', () => {
    const script = `"$0" "$@" > out.txt && cat out.txt`;
    const argv = ['-c', script, process.execPath, program, ...verification];
    expect(execFileSync('sh', argv, { cwd: folder, encoding: 'utf8' })).toBe('valid\n');
  });

  it('may not be there at all', () => {
    const argv = ['-c', '"$0" "$@" >&-', process.execPath, program, ...verification];
    expect(execFileSync('sh', argv, { cwd: folder, encoding: 'utf8' })).toBe('');
  });
});

describe('the commands', () => {
  it('are all listed where none of them is called', async () => {
    const { stdout } = await cli(['--help']);
    expect(stdout).toMatch(/send .*\n.*import .*[^]*verify-sig\|verify .*[^]*demo /);
  });

  it('are all known to the advice for a misspelt one', async () => {
    const { code, stderr } = await cli(['improt']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/unknown command 'improt' \(Did you mean import\?\); see evfwd --help/);
  });

  it.each([[['verify', '--help']], [['help', 'verify-sig']], [['help', 'verify']]])(
    'show their own help with %j',
    async (args) => {
      expect((await cli(args)).stdout).toMatch(/^Usage: evfwd verify-sig\|verify [^]*--explain/);
    },
  );
});
