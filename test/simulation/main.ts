import { parseArgs } from 'node:util';
import { seeded } from '../../src/fixtures/random.js';
import { importPlanOf, type ImportPlan } from './import-plan.js';
import { runImport } from './import-world.js';
import { planOf, type Plan } from './plan.js';
import { countImmediates } from './settle.js';
import { shortest } from './shortest.js';
import { run, type Report } from './world.js';

countImmediates();

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    days: { type: 'string', default: '30' },
    seed: { type: 'string' },
    first: { type: 'string', default: '1' },
    verbose: { type: 'boolean', default: false },
    /** Of which program: `serve` or `import`. Default: both. */
    only: { type: 'string' },
    /** Prints the history of a failing seed as it is, without a search for a shorter one. */
    whole: { type: 'boolean', default: false },
  },
});
if (values.only !== undefined && !['serve', 'import'].includes(values.only)) {
  throw new Error(`--only is serve or import, not ${JSON.stringify(values.only)}`);
}
const days = Number(values.days);
const first = Number(values.seed ?? values.first);
const count = values.seed === undefined ? Number(values.seeds) : 1;

const totals = { seeds: 0, events: 0, requests: 0, failed: 0 };
for (let seed = first; seed < first + count && totals.failed === 0; seed++) {
  totals.seeds++;
  if (values.only !== 'import') await live(planOf(seed, days, seeded(seed)), run);
  if (values.only !== 'serve') {
    await live(importPlanOf(seed, days, seeded(seed)), runImport);
  }
}
const years = ((totals.seeds * days) / 365).toFixed(1);
print(
  `${totals.seeds} seeds, ${years} years, ${totals.events} events, ${totals.requests} requests: ${totals.failed} violations`,
);
process.exitCode = totals.failed > 0 ? 1 : 0;

/** Runs one world, and explains what went wrong in it. */
async function live<P extends Plan | ImportPlan>(
  plan: P,
  world: (plan: P) => Promise<Report>,
): Promise<void> {
  if (totals.failed > 0) return;
  const { events, requests, violation, history } = await world(plan);
  totals.events += events;
  totals.requests += requests;
  if (violation !== undefined) await explain(plan, violation, world);
  else if (values.verbose) print(history.join('\n'));
}

async function explain<P extends Plan | ImportPlan>(
  plan: P,
  violation: string,
  world: (plan: P) => Promise<Report>,
): Promise<void> {
  totals.failed++;
  const only = 'files' in plan ? 'import' : 'serve';
  print(`seed ${plan.seed}: ${violation}`);
  print(`again: npm run simulate -- --seed ${plan.seed} --days ${plan.days} --only ${only}`);
  const found = await world(values.whole ? plan : await shortest(plan, violation, world));
  print(`${found.history.join('\n')}\n  ${found.violation}`);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
