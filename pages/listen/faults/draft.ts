import { useEffect, useState } from 'preact/hooks';
import type { FaultPlan } from '../../../src/api/listen.js';
import { useInspector } from '../view/inspector.js';

/** A fault that is being edited. */
export interface DraftField {
  /** Stays the same when faults are reordered. */
  readonly key: number;
  readonly text: string;
  /** Was just added, so it gets the focus. */
  readonly isNew: boolean;
}

/** A fault plan that is being edited. */
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

/** Empty fields are left out. */
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

/** Whether a draft has no unapplied edits. */
export function isSamePlan(draft: Draft, { faults, seed }: FaultPlan): boolean {
  const plan = planOf(draft);
  return plan.seed === seed && plan.faults.join('\n') === faults.join('\n');
}

/** An error of a plan, and the field it belongs to. */
export interface PlanError {
  /** Undefined for an error of the whole plan. */
  readonly key: number | undefined;
  readonly message: string;
}

/** The receiver names a fault as on the command line: `--fault "status=9": a status is …`. */
export function planErrorOf({ fields }: Draft, message: string): PlanError {
  for (const { key, text } of fields) {
    const lead = `--fault "${text.trim()}": `;
    if (message.startsWith(lead)) return { key, message: message.slice(lead.length) };
  }
  return { key: undefined, message };
}

const noPlan: FaultPlan = { faults: [], seed: 0 };

/** A fault plan that can be edited and applied. */
export function useFaultDraft() {
  const inspector = useInspector();
  const plan = inspector.faults.value ?? noPlan;
  const [draft, setDraft] = useState(() => draftOf(plan));
  const [base, setBase] = useState(plan);
  const [error, setError] = useState<PlanError>();
  const [isSaving, setSaving] = useState(false);
  useEffect(() => {
    // A plan that was changed elsewhere does not overwrite unapplied edits.
    if (plan !== base && isSamePlan(draft, base)) setDraft(draftOf(plan));
    setBase(plan);
  }, [plan]);

  const setFields = (fields: typeof draft.fields): void => {
    setDraft({ ...draft, fields });
    setError(undefined);
  };
  const apply = async (): Promise<void> => {
    setSaving(true);
    try {
      const applied = await inspector.receiver.changeFaults(planOf(draft));
      setDraft(draftOf(applied));
      setBase(applied);
      setError(undefined);
      inspector.faults.value = applied;
      inspector.notify('Faults applied');
    } catch (failure) {
      setError(planErrorOf(draft, (failure as Error).message));
    }
    setSaving(false);
  };

  return {
    ...draft,
    error,
    isSaving,
    isChanged: !isSamePlan(draft, plan),
    apply,
    add: (text: string) => setFields([...draft.fields, newField(text)]),
    change: (key: number, text: string) =>
      setFields(draft.fields.map((field) => (field.key === key ? { ...field, text } : field))),
    move: (index: number, by: -1 | 1) => setFields(moved(draft.fields, index, by)),
    remove: (key: number) => setFields(draft.fields.filter((field) => field.key !== key)),
    setSeed: (seed: string) => setDraft({ ...draft, seed }),
  };
}
