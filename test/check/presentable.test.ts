import { describe, expect, it } from 'vitest';
import { startEndpoint } from './helpers/endpoint.js';
import { runSome } from './helpers/run-some.js';

describe('the command beside a result', () => {
  it.each([
    ['sign.raw-bytes.newline', /--data-binary \$'.*\}\\x0a'$/],
    ['sign.raw-bytes.space', /--data-binary \$'.*"total" : 12 ,\\x0a {2}"currency".*'$/],
  ])('is one line with the same bytes: %s', async (id, command) => {
    const { url } = await startEndpoint();
    const [result] = await runSome(url, [id]);
    expect(result!.curl).toMatch(command);
    expect(result!.curl).not.toContain('\n');
  });
});
