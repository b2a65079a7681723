import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseCondition } from '../../events/where.js';
import { parseStep, type StepKind } from '../../steps/step.js';
import { collect } from '../shared/collect.js';
import { flag, type Flag } from './flag.js';
import { notShared } from './store.js';
import { asParsed } from './run.js';

/** Which events are used, by their members. */
export const whereFlag = flag(
  '--where <condition>',
  "only events that fit, e.g. type=track, 'properties.total>=10', context.app~'shop*', !userId (repeatable)",
  {
    parse: (text: string, previous: string[] | undefined) => {
      parseCondition(text);
      return collect(text, previous);
    },
    identity: asParsed,
  },
);

/** One flag a kind of step; steps are done in the order in which they were typed. */
const steps: Readonly<Record<StepKind, Flag>> = {
  set: stepFlag(
    'set',
    '<path=value>',
    'set a member, e.g. context.app=shop, or properties.total:=10 for JSON (repeatable)',
  ),
  drop: stepFlag('drop', '<path>', "remove a member, e.g. context.ip or 'traits.*' (repeatable)"),
  hash: stepFlag(
    'hash',
    '<path>',
    'replace a value by its HMAC-SHA256, with the key of --hash-key-file (repeatable)',
    { needs: { flag: '--hash-key-file' } },
  ),
  rename: stepFlag('rename', '<old=new>', 'move a member to another path (repeatable)'),
};

function stepFlag(kind: StepKind, value: string, text: string, details = {}): Flag {
  return flag(`--${kind} ${value}`, text, {
    parse: (given: string, previous: string[] | undefined) => {
      parseStep(kind, given);
      return collect(given, previous);
    },
    repeated: 'records',
    ...details,
  });
}

const hashKeyFile = flag('--hash-key-file <file>', 'file with the key of --hash', {
  repeated: 'records',
  needs: { flag: '--hash' },
});

const deadLetterChanged = flag(
  '--dead-letter-changed',
  'write events to the dead-letter file as they were sent, not as they were read',
);

/** Code of the user that changes each record. */
export const transformFlag = flag(
  '--transform <file>',
  'module whose default export maps a record to an event, an array of events or null',
  {
    identity: (path: string | undefined) => path && [resolve(path), readFileSync(path, 'utf8')],
    excludes: notShared(
      '--transform',
      'workers load no modules; use --set, --drop, --hash, --rename or --map',
    ),
  },
);

export const changeFlags = { ...steps, hashKeyFile };
export const importChangeFlags = { ...changeFlags, deadLetterChanged };

/** The kind of step that a flag stands for. */
export function stepKindOf({ name }: Flag): StepKind | undefined {
  const kind = name.slice(2);
  return kind in steps ? (kind as StepKind) : undefined;
}
