import { useEffect, useState } from 'preact/hooks';
import type { FaultPlan } from '../../../src/api/listen.js';
import { useInspector } from '../view/inspector.js';
import {
  planErrorOf,
  draftOf,
  isSamePlan,
  moved,
  newField,
  planOf,
  type PlanError,
} from './draft.js';

export type { DraftField } from './draft.js';

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
