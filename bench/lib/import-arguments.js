import { isAbsolute } from 'node:path';

/** Events per request of an import to a collector. */
export const eventsPerBatch = 250;

/** Arguments of an import to webhooks, into a state folder of its own. */
export function webhookImport(workshop, input, extra = []) {
  const { receiver, secretFile } = workshop;
  const target = ['--url', `${receiver.url}/hook`, '--secret-file', secretFile];
  return importArguments(workshop, input, [...target, ...extra]);
}

/** The same to the collector. */
export function collectorImport(workshop, input, extra = []) {
  const target = ['--endpoint', workshop.receiver.url, '--write-key', 'bench'];
  return importArguments(workshop, input, [...target, ...extra]);
}

/** A run that must start from the beginning needs a new state folder. */
function importArguments(workshop, input, args) {
  const hasState = args.includes('--state-dir') || !isAbsolute(input);
  const state = hasState ? [] : ['--state-dir', workshop.makeFolder()];
  return ['import', input, ...args, ...state];
}

/** Flags for one thread, if this evfwd has them. */
export function oneThread(workshop) {
  return workshop.importHas('--threads') ? ['--threads', '1'] : [];
}
