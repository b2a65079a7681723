import { parseArgs } from 'node:util';
import { seeded } from '../../src/fixtures/random.js';
import { planOf, type Plan } from './plan.js';
import { countImmediates } from './settle.js';
import { shortest } from './shortest.js';
import { run } from './world.js';

countImmediates();

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    days: { type: 'string', default: '30' },
    seed: { type: 'string' },
    first: { type: 'string', default: '1' },
    verbose: { type: 'boolean', default: false },
    /** Prints the history of a failing seed as it is, without a search for a shorter one. */
    whole: { type: 'boolean', default: false },
  },
});
const days = Number(values.days);
const first = Number(values.seed ?? values.first);
const count = values.seed === undefined ? Number(values.seeds) : 1;

const totals = { seeds: 0, events: 0, requests: 0, failed: 0 };
for (let seed = first; seed < first + count; seed++) {
  const plan = planOf(seed, days, seeded(seed));
  const report = await run(plan);
  totals.seeds++;
  totals.events += report.events;
  totals.requests += report.requests;
  if (values.verbose && !report.violation) print(report.history.join('\n'));
  if (report.violation) await explain(plan, report.violation);
  if (totals.failed > 0) break;
}
const years = ((totals.seeds * days) / 365).toFixed(1);
print(
  `${totals.seeds} seeds, ${years} years, ${totals.events} events, ${totals.requests} requests: ${totals.failed} violations`,
);
process.exitCode = totals.failed > 0 ? 1 : 0;

async function explain(plan: Plan, violation: string): Promise<void> {
  totals.failed++;
  print(`seed ${plan.seed}: ${violation}`);
  print(`again: npm run simulate -- --seed ${plan.seed} --days ${plan.days}`);
  const { history, violation: found } = await run(
    values.whole ? plan : await shortest(plan, violation),
  );
  print(`${history.join('\n')}\n  ${found}`);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
