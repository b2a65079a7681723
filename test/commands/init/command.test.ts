import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nextSteps } from '../../../src/commands/init/next-steps.js';
import { readRouting } from '../../../src/serve/routing-file.js';
import { folderWith } from '../../helpers/folder.js';
import { inProcess } from '../../helpers/in-process.js';

const fileName = 'evfwd.config.yaml';

const read = (cwd: string): string => readFileSync(join(cwd, fileName), 'utf8');

describe('init', () => {
  it('writes a file that serve accepts as it is, once its variables are set', async () => {
    const cwd = folderWith();
    expect(await inProcess(['init'], { cwd })).toMatchObject({ code: 0, stdout: '' });
    const variables = { WEB_WRITE_KEY: 'k', CRM_SECRET: 's' };
    const { sources, destinations } = await readRouting(join(cwd, fileName), variables);
    expect(sources).toMatchObject([{ name: 'web', writeKey: 'k', destinations: ['crm'] }]);
    expect(destinations).toMatchObject([{ name: 'crm', signing: [{ secrets: ['s'] }] }]);
  });

  it.each([
    ['local', { LOCAL_SECRET: 's' }, 'POST http://127.0.0.1:4400/hook'],
    ['service', { WEB_WRITE_KEY: 'k' }, 'POST http://127.0.0.1:4500/v1/batch'],
  ])('writes a profile "%s" that send can use', async (profile, env, request) => {
    const cwd = folderWith();
    await inProcess(['init'], { cwd });
    const args = ['send', '--fixture', 'track', '--profile', profile, '--dry-run'];
    const config = ['--config', join(cwd, fileName)];
    const { code, stdout } = await inProcess([...args, ...config], { cwd, env });
    expect(code).toBe(0);
    expect(stdout).toContain(request);
  });

  it('has examples of the settings of an endpoint that are valid without their comment sign', async () => {
    const cwd = folderWith();
    await inProcess(['init'], { cwd });
    const keys = 'headers|types|events|where|retryStatus|timeout|concurrency|rate';
    const commented = new RegExp(`^( {8,})# (${keys}):`, 'gm');
    const path = join(cwd, fileName);
    const text = read(cwd);
    expect(text.match(commented)).toHaveLength(10);
    writeFileSync(path, text.replace(commented, '$1$2:'));
    const { destinations } = await readRouting(path, { WEB_WRITE_KEY: 'k', CRM_SECRET: 's' });
    expect(destinations[0]!.endpoints).toMatchObject([{ types: ['track'], rate: 100 }]);
    const sending = ['send', '--fixture', 'identify', '-p', 'local', '--config', path, '--dry-run'];
    const { code, stderr } = await inProcess(sending, { cwd, env: { LOCAL_SECRET: 's' } });
    expect([code, stderr]).toEqual([1, expect.stringContaining('its events are Order *')]);
  });

  it('says what to do next, with each variable that the file names', async () => {
    const cwd = folderWith();
    const { stderr } = await inProcess(['init'], { cwd });
    const names = [...read(cwd).matchAll(/\$\{([A-Z_]+_[A-Z]+)\}/g)].map(([, name]) => name!);
    expect(names).toContain('CRM_SECRET');
    for (const name of names) expect(stderr).toContain(`${name}=`);
    expect(stderr.match(/^\d\. /gm)).toHaveLength(5);
  });

  it('names the commands as PowerShell takes them on Windows', () => {
    expect(nextSteps('win32')).toContain("   $env:EVFWD_SECRET='try-me'; evfwd listen\n");
  });

  it('replaces an existing file only when told to', async () => {
    const cwd = folderWith({ [fileName]: 'profiles: {}\n' });
    const refused = await inProcess(['init'], { cwd });
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toBe(
      'evfwd: evfwd.config.yaml exists; edit it, or use --force to replace it\n',
    );
    expect(read(cwd)).toBe('profiles: {}\n');
    expect((await inProcess(['init', '--force'], { cwd })).code).toBe(0);
    expect(read(cwd)).toContain('sources:');
  });

  it.each(['evfwd.config.yml', 'evfwd.config.json'])('does not hide a %s', async (name) => {
    const { code, stderr } = await inProcess(['init', '--force'], {
      cwd: folderWith({ [name]: '{}' }),
    });
    expect(code).toBe(2);
    expect(stderr).toContain(name);
  });

  it('names what cannot be written, in one line', async () => {
    const cwd = folderWith();
    mkdirSync(join(cwd, fileName));
    const { code, stderr } = await inProcess(['init', '--force'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^evfwd: evfwd\.config\.yaml cannot be written \(EISDIR\).*\n$/);
    expect(statSync(join(cwd, fileName)).isDirectory()).toBe(true);
  });

  it('warns that EVFWD_CONFIG goes before the new file', async () => {
    const env = { EVFWD_CONFIG: 'other.yaml' };
    const { stderr } = await inProcess(['init'], { cwd: folderWith(), env });
    expect(stderr).toContain('\nEVFWD_CONFIG is set');
  });
});
