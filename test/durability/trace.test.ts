import { describe, expect, it } from 'vitest';
import { argumentsOf, descriptorOf, parseTrace, stringsOf } from './trace.js';

/** As `strace -xx` prints a text. */
const hex = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');

const one = (line: string) => parseTrace(`71 ${line}\n`)[0]!;

describe('a trace', () => {
  it('is read call by call', () => {
    const text = [
      `22249 mkdir("${hex('.evfwd')}", 0700) = 0`,
      `22249 unlink("${hex('/x/a')}") = -1 ENOENT (No such file or directory)`,
      '--- SIGTERM {si_signo=SIGTERM} ---',
      '22249 --- SIGTERM {si_signo=SIGTERM, si_code=SI_USER} ---',
      '22249 exit_group(0)                     = ?',
      '22249 +++ exited with 0 +++',
    ].join('\n');
    expect(parseTrace(text).map(({ name, result }) => [name, result])).toEqual([
      ['mkdir', 0],
      ['unlink', -1],
      ['exit_group', -1],
    ]);
  });

  it('joins the calls of several threads, in the order in which they returned', () => {
    const text = [
      `22258 fdatasync(87<${hex('/x/db-wal')}> <unfinished ...>`,
      `22249 read(22<${hex('socket:[1]')}>,  <unfinished ...>`,
      `22251 fsync(3<${hex('/x/db')}>) = 0`,
      `22249 <... read resumed>"${hex('HTTP')}", 65536) = 4`,
      '22258 <... fdatasync resumed>)          = 0',
    ].join('\n');
    const calls = parseTrace(text);
    expect(calls.map(({ name, startedAt, endedAt }) => [name, startedAt, endedAt])).toEqual([
      ['fsync', 2, 2],
      ['read', 1, 3],
      ['fdatasync', 0, 4],
    ]);
    expect(descriptorOf(calls[2]!)).toEqual({ fd: 87, target: '/x/db-wal' });
    expect(stringsOf(calls[1]!).map(String)).toEqual(['HTTP']);
    expect(calls[1]!.result).toBe(4);
  });

  it('has the exact bytes of a write', () => {
    const bytes = Buffer.from([0, 34, 92, 10, 255, 41, 61]);
    const text = [...bytes].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
    const call = one(`pwrite64(19<${hex('/x/a b')}>, "${text}", 7, 4096) = 7`);
    expect(stringsOf(call)).toEqual([bytes]);
    expect(argumentsOf(call).at(-1)).toBe('4096');
    expect(descriptorOf(call)).toEqual({ fd: 19, target: '/x/a b' });
  });

  it('has all parts of a vectored write', () => {
    const [a, b] = [hex('ab'), hex('cde')];
    const call = one(
      `writev(5<${hex('socket:[9]')}>, [{iov_base="${a}", iov_len=2}, {iov_base="${b}", iov_len=3}], 2) = 5`,
    );
    expect(Buffer.concat(stringsOf(call)).toString()).toBe('abcde');
    expect(argumentsOf(call)).toHaveLength(3);
  });

  it('recognizes a file that was removed', () => {
    const call = one(`write(5<${hex('/x/a')}>(deleted), "${hex('x')}", 1) = 1`);
    expect(descriptorOf(call)).toEqual({ fd: 5, target: '' });
  });

  it('is refused if a string was truncated, or the start of a call is missing', () => {
    expect(() => stringsOf(one(`write(5, "${hex('ab')}"..., 9) = 9`))).toThrow('truncated');
    expect(() => parseTrace('7 <... read resumed>"", 1) = 0')).toThrow('line 1 of the trace');
  });
});
