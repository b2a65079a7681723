import type { FaultPlan } from '../api.js';

/** A fault as it is being written. */
export interface DraftField {
  /** Stays the same while faults move. */
  readonly key: number;
  readonly text: string;
  /** Was added by hand, so that it wants the keyboard. */
  readonly isNew: boolean;
}

/** A fault plan as it is being written. */
export interface Draft {
  readonly fields: readonly DraftField[];
  readonly seed: string;
}

let keys = 0;

export function draftOf({ faults, seed }: FaultPlan): Draft {
  return {
    fields: faults.map((text) => ({ key: ++keys, text, isNew: false })),
    seed: String(seed),
  };
}

export function newField(text: string): DraftField {
  return { key: ++keys, text, isNew: true };
}

/** Fields that were left empty are no faults. */
export function planOf({ fields, seed }: Draft): FaultPlan {
  const faults = fields.map(({ text }) => text.trim()).filter((text) => text !== '');
  return { faults, seed: Number(seed) };
}

export function moved(fields: readonly DraftField[], from: number, by: -1 | 1): DraftField[] {
  const list = [...fields];
  const [field] = list.splice(from, 1);
  if (field) list.splice(from + by, 0, field);
  return list;
}

/** Whether a draft says the same as a plan. */
export function isSamePlan(draft: Draft, { faults, seed }: FaultPlan): boolean {
  const plan = planOf(draft);
  return plan.seed === seed && plan.faults.join('\n') === faults.join('\n');
}

/** What the receiver says against a plan, and where. */
export interface Complaint {
  /** The field that it is about; undefined for the plan as a whole. */
  readonly key: number | undefined;
  readonly message: string;
}

/** The receiver names a fault as it stands on a command line: `--fault "status=9": a status is …`. */
export function complaintOf({ fields }: Draft, message: string): Complaint {
  for (const { key, text } of fields) {
    const lead = `--fault "${text.trim()}": `;
    if (message.startsWith(lead)) return { key, message: message.slice(lead.length) };
  }
  return { key: undefined, message };
}
