import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { relayOf, relaySenders } from '../../../src/commands/init/relay-template.js';
import { sampleRequest } from '../../../src/commands/init/sample-request.js';
import { Terminal } from '../../docs/page.js';

it.each(relaySenders)(
  'the commands of init --relay %s deliver a request as it sends them',
  async (sender) => {
    const terminal = await Terminal.open({ ports: [3000, 4500] });
    const { output } = await terminal.run(`evfwd init --relay ${sender}`);
    const [listen, serve, send, ...others] = [...output.matchAll(/^ {3}(\S.*)$/gm)].map(
      ([, line]) => line!,
    );
    expect(others).toEqual([]);
    terminal.save(
      'evfwd.config.yaml',
      readFileSync(join(terminal.cwd, 'evfwd.config.yaml'), 'utf8'),
    );
    await terminal.run(`${listen} --json > app.ndjson 2> listen.log &`);
    await terminal.run(`${serve} > serve.log 2>&1 &`);
    // The second one is no repeat of the first.
    for (const count of [1, 2]) {
      const sent = await terminal.run(send!);
      expect([sent.code, sent.output]).toEqual([
        0,
        expect.stringMatching(/^delivered {2}\S+\/in\/\S+ {2}200/m),
      ]);
      await terminal.run(
        `until [ "$(grep -c '"type":"request"' app.ndjson)" = ${count} ]; do sleep 0.1; done`,
      );
    }
    const app = readFileSync(join(terminal.cwd, 'app.ndjson'), 'utf8');
    const [request] = app
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ type }) => type === 'request');
    const { body, headers, idHeader, contentType = 'application/json' } = sampleRequest(sender);
    expect(request).toMatchObject({
      ...{ method: 'POST', body, signature: 'valid' },
      headers: { 'content-type': contentType },
    });
    const received = request!.headers as Record<string, string>;
    for (const header of [...headers, `${relayOf(sender).scheme.header}: `]) {
      const [name = '', value] = header.split(': ');
      expect(received[name.toLowerCase()]).toContain(value);
    }
    if (idHeader !== undefined) expect(received[idHeader.toLowerCase()]).toMatch(/^[\da-f-]{36}$/);
  },
);
