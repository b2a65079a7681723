import { existsSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkPagePath, writePage } from '../../src/report/write-page.js';
import { folderWith } from '../helpers/folder.js';

describe('the page', () => {
  it('replaces an older one, is readable, and leaves no other files', async () => {
    const folder = folderWith({ 'out.html': 'old' });
    const usual = statSync(join(folder, 'out.html')).mode;
    await writePage(join(folder, 'out.html'), 'new');
    expect(readFileSync(join(folder, 'out.html'), 'utf8')).toBe('new');
    expect(statSync(join(folder, 'out.html')).mode & 0o777).toBe(usual & 0o644);
    expect(readdirSync(folder)).toEqual(['out.html']);
  });

  it('that cannot be written leaves no files', async () => {
    const folder = folderWith();
    const path = join(folder, 'none', 'out.html');
    await expect(writePage(path, 'new')).rejects.toThrow(
      `--html ${path}: cannot be written (ENOENT); choose another place`,
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ['none/out.html', 'no such folder'],
    ['log.ndjson/out.html', 'no such folder'],
    ['.', 'it is not a file'],
    ['log.ndjson', 'it is one of the logs'],
    ['link.html', 'it is one of the logs'],
  ])('is refused before the logs are read: %s', async (name, reason) => {
    const folder = folderWith({ 'log.ndjson': '' });
    symlinkSync(join(folder, 'log.ndjson'), join(folder, 'link.html'));
    const check = checkPagePath(join(folder, name), ['-', join(folder, 'log.ndjson')]);
    await expect(check).rejects.toThrow(`cannot be written (${reason})`);
    await expect(check).rejects.toMatchObject({ exitCode: 2, code: 'page_not_written' });
  });

  it.skipIf(!existsSync('/dev/null'))('never replaces a device', async () => {
    await expect(checkPagePath('/dev/null', [])).rejects.toThrow('it is not a file');
  });
});
