import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where Debian's package `faketime`, and its source, put the library. */
function candidates(): string[] {
  const folders = existsSync('/usr/lib') ? readdirSync('/usr/lib') : [];
  const found = ['', ...folders.filter((name) => name.includes('-linux-'))].map((name) =>
    join('/usr/lib', name),
  );
  return [...found, '/usr/local/lib'].map((lib) => join(lib, 'faketime', 'libfaketimeMT.so.1'));
}

/** libfaketime of this machine, which sets the clock of a single process. */
export function findFaketime(): string | undefined {
  return candidates().find((path) => existsSync(path));
}

/** The clock of a process: its time of day can be set, as an administrator does; its timers go on. */
export class FakeTime {
  readonly #file: string;

  /** @param file is made; it holds the difference to the real time */
  constructor(file: string) {
    this.#file = file;
    this.set('+0');
  }

  /** For the environment of the process. */
  get env(): Record<string, string> {
    return {
      LD_PRELOAD: findFaketime() ?? '',
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
  }

  /** Adds `+8d` or `-2h` to the real time of day from now on. */
  set(difference: string): void {
    writeFileSync(this.#file, `${difference}\n`);
  }
}
