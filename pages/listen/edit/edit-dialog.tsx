import { useRef, useState } from 'preact/hooks';
import type { EditedRequest, RequestDetail, RequestRow } from '../../../src/api/listen.js';
import { formatJson } from '../../../src/json/format-json.js';
import { Dialog } from '../../shared/controls/dialog.js';
import { FieldError, TextArea } from '../../shared/controls/fields.js';
import { useLoaded } from '../../shared/detail/use-loaded.js';
import { ReplayForm } from '../replay/replay-dialog.js';
import { useInspector } from '../view/inspector.js';
import { type BodyForm, type Draft, draftOf, editedOf, isJson, problemOf } from './draft.js';

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
        <EditForm row={row} detail={loaded.value} />
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
  readonly detail: RequestDetail;
}

/** The parts of a request, to be changed and sent. */
function EditForm({ row, detail }: EditFormProps) {
  const [draft, setDraft] = useState(() => draftOf(detail));
  const confirmed = useRef<string>(undefined);
  const change = (part: Partial<Draft>): void => setDraft({ ...draft, ...part });
  const problem = problemOf(draft);
  const edited = (): EditedRequest => {
    // An endpoint may be meant to get what is not JSON, but hardly by mistake.
    if (problem !== undefined && confirmed.current !== draft.body) {
      confirmed.current = draft.body;
      throw new Error(`Body: ${problem}. Press Send again to send it as it is.`);
    }
    return editedOf(draft);
  };
  return (
    <ReplayForm
      rows={[row]}
      again={detail.signsAgain}
      captured="with the headers of its signature as above, if any"
      edited={edited}
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
        problem={problem}
        name="body"
        rows={9}
        value={draft.body}
        action={
          isJson(draft) && (
            <button
              type="button"
              class="link"
              onClick={() => change({ body: formatJson(draft.body) })}
            >
              Format
            </button>
          )
        }
        onText={(body) => change({ body })}
      />
    </ReplayForm>
  );
}
