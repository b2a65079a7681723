import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { relaySteps } from '../../../src/commands/init/next-steps.js';
import { relayOf, relaySenders, relayTemplate } from '../../../src/commands/init/relay-template.js';
import { sampleRequest } from '../../../src/commands/init/sample-request.js';
import { RawFilters } from '../../../src/serve/raw/filters.js';
import { RawRequest, type RawHead } from '../../../src/serve/raw/raw-request.js';
import { readRouting } from '../../../src/serve/routing-file.js';
import { folderWith } from '../../helpers/folder.js';
import { inProcess } from '../../helpers/in-process.js';

const fileName = 'evfwd.config.yaml';

describe('init --relay', () => {
  it.each(relaySenders)('writes a file for %s that serve accepts as it is', async (sender) => {
    const cwd = folderWith();
    const { code, stderr } = await inProcess(['init', '--relay', sender], { cwd });
    expect(code).toBe(0);
    const { variable, trialSecret, scheme } = relayOf(sender);
    expect(stderr).toContain(`${variable}=${trialSecret} evfwd serve`);
    const path = join(cwd, fileName);
    const { sources, destinations } = await readRouting(path, { [variable]: trialSecret });
    expect(sources).toMatchObject([
      {
        name: sender,
        raw: { path: `/in/${sender}`, scheme: { name: sender }, enforce: true },
        destinations: ['app'],
      },
    ]);
    expect(destinations[0]).toMatchObject({ retryWindowMs: 72 * 3_600_000 });
    expect(destinations[0]!.resign !== undefined).toBe(scheme.toleranceMs !== undefined);
    for (const line of readFileSync(path, 'utf8').split('\n')) {
      expect(line.length).toBeLessThanOrEqual(110);
    }
  });

  it.each(relaySenders)('has a condition for %s that fits what it sends', async (sender) => {
    const relay = relayOf(sender);
    const template = relayTemplate(relay);
    // Its bodies are forms.
    expect(template.includes('# where: ')).toBe(sender !== 'twilio');
    const folder = folderWith({ [fileName]: template.replace('# where: ', 'where: ') });
    const env = { [relay.variable]: relay.trialSecret };
    const { destinations } = await readRouting(join(folder, fileName), env);
    const { headers, body } = sampleRequest(sender);
    const head: RawHead = {
      ...{ method: 'POST', path: `/in/${sender}`, sourcePathLength: 4 + sender.length },
      headers: headers.flatMap((header) => header.split(': ')),
      ...{ remoteAddress: null, isTls: false, signature: 'valid', scheme: sender, reason: null },
    };
    const filters = RawFilters.of(destinations[0]!.endpoints);
    const request = RawRequest.of(head, Buffer.from(body), sender);
    expect(filters?.wantedBy(request)).toBe(sender === 'twilio' ? undefined : 1);
  });

  it.each<[NodeJS.Platform, string]>([
    ['linux', `printf %s '{"id":1001,"total_price":"12.50"}' | EVFWD_SECRET=try-me evfwd send`],
    ['win32', `$env:EVFWD_SECRET='try-me'; '{"id":1001,"total_price":"12.50"}' | evfwd send`],
  ])('prints a command that sends what the sender would, on %s', (platform, beginning) => {
    expect(relaySteps(relayOf('shopify'), platform)).toContain(
      `   ${beginning} --raw - --scheme shopify -H 'X-Shopify-Topic: orders/create' -H 'X-Shopify-Shop-Domain: shop.myshopify.com' -H "X-Shopify-Webhook-Id: $(node -p 'crypto.randomUUID()')" --url http://127.0.0.1:4500/in/shopify\n`,
    );
  });

  it('refuses a sender that it does not know, and names the nearest one', async () => {
    const cwd = folderWith();
    const { code, stderr } = await inProcess(['init', '--relay', 'gitub'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('--relay: there is no sender "gitub"; did you mean github?');
  });
});
