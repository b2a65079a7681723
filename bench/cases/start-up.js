import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventText, secret } from '../lib/data.js';
import { isInstalled } from '../lib/installed.js';
import { sign } from '../lib/sign.js';

const node = 'node -e 0';

/** A short process from start to exit, as in a script or a CI job. */
export const startUp = {
  name: 'start-up',
  title: 'from start to exit',

  prepare(workshop) {
    const body = join(workshop.folder, 'signed.json');
    writeFileSync(body, eventText(1));
    const secretFlags = ['--secret-file', workshop.secretFile];
    const signature = ['--signature', sign(eventText(1), secret)];
    const evfwd = (name, args) => ({
      name,
      run: () => workshop.start(process.execPath, [workshop.program, ...args]),
    });
    const hasOpenssl = isInstalled('openssl');
    const digest = ['dgst', '-sha1', '-hmac', secret, body];
    return {
      contenders: [
        { name: node, run: () => workshop.start(process.execPath, ['-e', '0']) },
        evfwd('evfwd verify-sig', ['verify-sig', body, ...signature, ...secretFlags]),
        evfwd('evfwd --help', ['--help']),
        evfwd('evfwd --version', ['--version']),
        evfwd('evfwd send --help', ['send', '--help']),
        ...(hasOpenssl
          ? [{ name: 'openssl dgst', run: () => workshop.start('openssl', digest) }]
          : []),
      ],
      rounds: workshop.pick(9, 31),
      promises: [
        { subject: 'evfwd verify-sig', peer: node, metric: 'seconds', atMost: 1.5 },
        { subject: 'evfwd --help', peer: node, metric: 'seconds', atMost: 2 },
        { subject: 'evfwd --version', peer: node, metric: 'seconds' },
        { subject: 'evfwd send --help', peer: node, metric: 'seconds' },
        { subject: 'evfwd verify-sig', peer: 'openssl dgst', metric: 'seconds' },
      ],
      skipped: hasOpenssl ? [] : ['openssl is not installed'],
    };
  },
};
