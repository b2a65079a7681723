import { describe, expect, it } from 'vitest';
import { folderWith } from '../helpers/folder.js';
import { inProcess as cli } from '../helpers/in-process.js';

const config = `
profiles:
  hooks: { webhooks: { sharedSecret: profile, endpoints: [{ url: 'http://profile/' }] } }
  unsigned: { webhooks: { endpoints: [{ url: 'http://profile/' }] } }
  key: { collector: { writeKey: profile, endpoint: 'http://profile/' } }
`;

const url = { EVFWD_URL: 'http://env/' };
const key = { EVFWD_WRITE_KEY: 'env', EVFWD_ENDPOINT: 'http://env/' };

async function dryRun(args: readonly string[], env: Record<string, string>) {
  const cwd = folderWith({ 'evfwd.config.yaml': config });
  const { stdout, stderr, code } = await cli(['send', '--fixture', 'track', '--dry-run', ...args], {
    cwd,
    env,
  });
  return { target: stdout.split('\n')[0], isSigned: stdout.includes('X-Signature'), stderr, code };
}

describe('a profile that is named by -p', () => {
  it.each([
    ['hooks', url, 'EVFWD_URL'],
    ['hooks', { ...url, EVFWD_SECRET: 's' }, 'EVFWD_URL, EVFWD_SECRET'],
    ['hooks', { ...url, EVFWD_WRITE_KEY: 'k' }, 'EVFWD_URL, EVFWD_WRITE_KEY'],
    ['key', { ...url, ...key }, 'EVFWD_URL, EVFWD_WRITE_KEY, EVFWD_ENDPOINT'],
  ])('beats the environment, and one line says so: %s beside %j', async (name, env, names) => {
    const { target, stderr } = await dryRun(['-p', name], env);
    expect(target).toMatch(/^POST http:\/\/profile\//);
    expect(stderr).toBe(`--profile ${name} replaces ${names} of the environment\n`);
  });

  it('is quiet with --quiet', async () => {
    expect((await dryRun(['-p', 'hooks', '-q'], url)).stderr).toBe('');
  });

  it('leaves what it does not have to the environment', async () => {
    const { isSigned, stderr } = await dryRun(['-p', 'unsigned'], { EVFWD_SECRET: 's' });
    expect({ isSigned, stderr }).toEqual({ isSigned: true, stderr: '' });
  });

  it('is beaten by a flag', async () => {
    const { target, stderr } = await dryRun(['-p', 'unsigned', '--url', 'http://flag/'], url);
    expect({ target, stderr }).toEqual({ target: 'POST http://flag/', stderr: '' });
  });
});

describe('a profile that is named by EVFWD_PROFILE', () => {
  it('is beaten by the environment', async () => {
    const { target, stderr } = await dryRun([], { ...url, EVFWD_PROFILE: 'hooks' });
    expect({ target, stderr }).toEqual({ target: 'POST http://env/', stderr: '' });
  });

  it('is named with the variable when it is unknown', async () => {
    const { stderr, code } = await dryRun([], { EVFWD_PROFILE: 'nope' });
    expect(stderr).toMatch(/: unknown profile "nope" of EVFWD_PROFILE; use one of /);
    expect(code).toBe(2);
  });
});

it('a broken EVFWD_ENDPOINT is named', async () => {
  const { stderr, code } = await dryRun([], { EVFWD_WRITE_KEY: 'k', EVFWD_ENDPOINT: 'ftp://h' });
  expect(stderr).toMatch(/^evfwd: EVFWD_ENDPOINT: not a valid http/);
  expect(code).toBe(2);
});
