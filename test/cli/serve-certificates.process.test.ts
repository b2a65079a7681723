import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasOpenssl, makeCertificates } from '../helpers/certificates.js';
import { folderWith } from '../helpers/folder.js';
import { startRawServer } from '../helpers/raw-server.js';
import { running, send } from './serve-process.js';

describe.skipIf(!hasOpenssl)('serve (needs openssl, to make certificates)', () => {
  it('reads certificates again when their files change, first one and then the other', async () => {
    const { ca, good, selfSigned } = makeCertificates();
    const mutual = { ca, requestCert: true, rejectUnauthorized: true };
    const server = await startRawServer({ tls: { ...good, ...mutual } });
    const folder = folderWith({
      'ca.pem': ca,
      'client.pem': selfSigned.cert,
      'client.key': selfSigned.key,
      'evfwd.config.yaml': `sources:
  web: { writeKey: \${WEB_KEY}, destinations: [crm] }
destinations:
  crm:
    type: Webhooks
    allowPrivateNetworks: true
    endpoints: [{ url: '${server.url}', tls: { cert: client.pem, key: client.key, ca: ca.pem } }]
`,
    });
    const served = await running(folder);
    const kept = served.logs('certificates cannot be used; keeping the previous ones');
    writeFileSync(join(folder, 'client.pem'), good.cert);
    expect(await kept).toContain('is not the key of the certificate');
    const reloaded = served.logs('configuration reloaded');
    writeFileSync(join(folder, 'client.key'), good.key);
    await reloaded;
    await send(served.url, 0);
    await server.arrived(1);
    const { code, stdout } = await served.stop('SIGTERM');
    expect(code).toBe(0);
    expect(stdout).not.toContain('BEGIN');
  });
});
