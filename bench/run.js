import { writeFileSync } from 'node:fs';
import { cases } from './cases.js';
import { describeMachine, machine } from './lib/machine.js';
import { measureCase } from './lib/measure-case.js';
import { readOptions, usage } from './lib/options.js';
import { asData, reportCase, reportPromises } from './lib/report.js';
import { Workshop } from './lib/workshop.js';

try {
  await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

async function main(args) {
  const options = readOptions(
    args,
    cases.map(({ name }) => name),
  );
  if (options.help) return print(usage);
  if (options.list) return print(cases.map(({ name, title }) => `${name}: ${title}`).join('\n'));
  const facts = machine();
  const command = ['node bench/run.js', ...args].join(' ');
  print(`${describeMachine(facts)}\n${command}\n`);
  const measuredCases = await measureAll(options);
  print(reportPromises(measuredCases));
  if (options.json === undefined) return undefined;
  const data = { command, machine: facts, cases: measuredCases.map(asData) };
  return writeFileSync(options.json, `${JSON.stringify(data, null, 2)}\n`);
}

async function measureAll(options) {
  const workshop = await Workshop.open(options);
  const stop = () => void workshop.close().then(() => process.exit(130));
  process.once('SIGINT', stop);
  try {
    const measuredCases = [];
    for (const one of cases.filter(({ name }) => options.only.includes(name))) {
      const { contenders, promises, rounds, skipped = [] } = await one.prepare(workshop);
      const results = await measureCase(contenders, rounds, (what) => say(`${one.name}: ${what}`));
      say('');
      const { name, title } = one;
      measuredCases.push({ name, title, promises, results, skipped });
      print(reportCase(measuredCases.at(-1)));
    }
    return measuredCases;
  } finally {
    process.off('SIGINT', stop);
    await workshop.close();
  }
}

function print(text) {
  process.stdout.write(`${text}\n`);
}

/** Shows the current run on a terminal, in one line. */
function say(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
}
