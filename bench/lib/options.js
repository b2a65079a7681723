import { parseArgs } from 'node:util';

export const usage = `Usage: node bench/run.js [--only case,case] [--quick | --full] [--json file]

  --only <list>     only these cases, by name
  --quick           fewer events and rounds: under a minute
  --full            up to ten million events: more than an hour, 5 GB of space for temporary files
  --json <file>     also writes every measurement
  --program <file>  measures this evfwd instead (default: bin/evfwd.js)
  --list            lists the cases`;

/** @throws Error that names the flag or the case which is not known. */
export function readOptions(args, caseNames) {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string' },
      quick: { type: 'boolean' },
      full: { type: 'boolean' },
      json: { type: 'string' },
      program: { type: 'string' },
      list: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.quick && values.full) throw new Error('use either --quick or --full');
  const only = values.only?.split(',') ?? caseNames;
  const unknown = only.find((name) => !caseNames.includes(name));
  if (unknown)
    throw new Error(`unknown case "${unknown}"; expected one of ${caseNames.join(', ')}`);
  return { ...values, only, size: values.quick ? 'quick' : values.full ? 'full' : 'normal' };
}
