import { expect, it } from 'vitest';
import { inProcess } from '../../helpers/in-process.js';

const url = ['--url', 'http://127.0.0.1:1/'];
const shared = { EVFWD_STORE: 'postgres://127.0.0.1:1/db' };

it.each<[string, string, Record<string, string>?]>([
  ['send --method PUT', '--method needs --raw, the body that is sent as it is; use both'],
  ['send --raw b --event e', '--raw sends a body as it is; leave --event out'],
  ['send --raw b -P a=1', '--raw sends a body as it is; leave --property out'],
  ['send track --raw b', '--raw sends a body as it is; leave the type track out'],
  ['send --raw b --write-key k', '--raw sends a body as it is; leave --write-key out'],
  ['send --curl --json', '--curl and --json cannot be combined; use one of them'],
  ['send --also-secret-file f', '--also-secret-file needs --also-scheme; use both'],
  ['send --key f', '--key needs --cert, the file with its certificate (PEM); use both'],
  ['send --cert f', '--cert needs --key, the file with its private key (PEM; it may be the same'],
  ['import x --detach', '--detach needs --store (or EVFWD_STORE); use both'],
  ['import x --limit 1 --shard 1/2', '--limit counts the events of one process, so it cannot be'],
  ['import x --speed 1x --shard 1/2', '--speed needs all events in one process, so it cannot be'],
  [
    'import x --store postgres://h/db --threads 2',
    '--threads cannot be used with --store: that is up to each worker; use evfwd worker --threads',
  ],
  [
    'import x --log l',
    '--log cannot be used with EVFWD_STORE: each worker has its own attempt log; use evfwd worker --log, or unset EVFWD_STORE',
    shared,
  ],
  ['listen --forward-timeout 1s', '--forward-timeout needs --forward; use both'],
  ['listen --within 1s', '--within needs --expect; use both'],
  ['listen --junit f', '--junit needs --expect; use both'],
  ['listen --print-body --json', '--print-body is for people, and --json has each body; use one'],
  ['check --handshake-token t', '--handshake-token needs --handshake; use both'],
  ['check --framework go -q', '--framework and --quiet cannot be combined: the code is part of'],
])('%s is refused before anything is read', async (line, message, env = {}) => {
  const [command = '', ...args] = line.split(' ');
  const target = ['send', 'import'].includes(command) ? url : [];
  const { code, stderr } = await inProcess([command, ...args, ...target], { env });
  expect(stderr).toContain(message);
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect(code).toBe(2);
});

it.each([
  ['replay x --speed 1x', shared],
  ['import x --limit 1', {}],
])('%s is not', async (line, env) => {
  const { stderr } = await inProcess([...line.split(' '), ...url], { env });
  expect(stderr).toContain('evfwd: x: no such file');
});
