import type { Faults } from '../fault-plan.js';
import { responseFor } from '../planned-response.js';
import { answerWith, type Stage } from './stage.js';

/** Answers with the fault that fires, if one does. */
export function faulty(faults: Faults): Stage {
  return ({ incoming, notes }, next) => {
    const fault = faults.choose({ events: notes.events, path: incoming.path });
    if (!fault) return next();
    return { ...answerWith(responseFor(fault)), fault: fault.text };
  };
}
