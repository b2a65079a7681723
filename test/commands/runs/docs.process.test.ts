import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { partsOf, Terminal } from '../../docs/page.js';
import { events } from '../../helpers/process.js';
import { inProcess } from '../../helpers/in-process.js';
import { startReceiver } from '../../helpers/receiver.js';

/** Hashes, ages and times differ from run to run. */
function settled(text: string): string {
  return text
    .replace(/-[\da-f]{12}\b/g, '-…')
    .replace(/\d+ (?:s|min) ago/g, '… ago')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '…')
    .replace(/"bytes":\d+/g, '"bytes":…')
    .trim();
}

it('docs/runs.md shows the runs of a folder as they are', async () => {
  const text = readFileSync(new URL('../../../docs/runs.md', import.meta.url), 'utf8');
  const examples = partsOf(text.slice(0, text.indexOf('## The runs of a store')));
  const receiver = await startReceiver();
  const terminal = await Terminal.open({ ports: [] });
  terminal.save('refunds.ndjson', events(3));
  terminal.save('orders.ndjson', `${events(2)}not an event\n`);
  terminal.save('history.ndjson', events(6));
  const { cwd } = terminal;
  for (const args of [['refunds.ndjson'], ['orders.ndjson'], ['history.ndjson', '--limit', '4']]) {
    const env = { EVFWD_SECRET: 'secret' };
    await inProcess(['import', ...args, '--url', receiver.url], { cwd, env });
  }
  await receiver.close();
  expect(examples).toHaveLength(3);
  for (const part of examples) {
    if (part.kind !== 'example') throw new Error('not an example');
    const { output } = await terminal.run(part.command);
    expect(settled(output)).toBe(settled(part.output));
  }
});
