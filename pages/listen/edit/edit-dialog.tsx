import { useState } from 'preact/hooks';
import type { RequestRow } from '../../../src/api/listen.js';
import { Dialog } from '../../shared/controls/dialog.js';
import { FieldError, TextArea } from '../../shared/controls/fields.js';
import { useLoaded } from '../../shared/detail/use-loaded.js';
import { ReplayForm } from '../replay/replay-dialog.js';
import { useInspector } from '../view/inspector.js';
import { type BodyForm, type Draft, draftOf, editedOf } from './draft.js';

/** Sends the focused request again, with other headers or another body. */
export function EditDialog() {
  const inspector = useInspector();
  const [row] = useState(() => inspector.focused);
  return row ? <Edit row={row} /> : null;
}

function Edit({ row }: { readonly row: RequestRow }) {
  const { receiver } = useInspector();
  const loaded = useLoaded(row.id, (id, signal) => receiver.detail(id, signal));
  // The dialog focuses its first field as it opens, so it opens with its fields.
  if (loaded.state === 'loading') return null;
  return (
    <Dialog title={`Edit and resend request ${row.sequence}`} size="wide">
      {loaded.state === 'failed' ? (
        <FieldError error={(loaded.error as Error).message} />
      ) : (
        <EditForm row={row} first={draftOf(loaded.value)} />
      )}
    </Dialog>
  );
}

const notes: Readonly<Record<BodyForm, string | undefined>> = {
  text: undefined,
  crlf: 'its newlines are sent as CRLF',
  base64: 'as base64: it has bytes that are not text',
};

interface EditFormProps {
  readonly row: RequestRow;
  /** What is edited at first. */
  readonly first: Draft;
}

/** The parts of a request, to be changed and sent. */
function EditForm({ row, first }: EditFormProps) {
  const [draft, setDraft] = useState(first);
  const change = (part: Partial<Draft>): void => setDraft({ ...draft, ...part });
  return (
    <ReplayForm
      rows={[row]}
      captured="with the headers of its signature as above, if any"
      edited={() => editedOf(draft)}
    >
      <TextArea
        label="Headers"
        note="Name: value, one per line"
        name="headers"
        rows={5}
        value={draft.headers}
        onText={(headers) => change({ headers })}
      />
      <TextArea
        label="Body"
        note={notes[draft.form]}
        name="body"
        rows={9}
        value={draft.body}
        onText={(body) => change({ body })}
      />
    </ReplayForm>
  );
}
