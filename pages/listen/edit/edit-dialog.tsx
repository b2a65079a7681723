import { useState } from 'preact/hooks';
import type { ReplayRequest, RequestRow } from '../../../src/api/listen.js';
import { Dialog } from '../../shared/controls/dialog.js';
import { FieldError, TextArea, TextField } from '../../shared/controls/fields.js';
import { useLoaded } from '../../shared/detail/use-loaded.js';
import { recallText, remember } from '../../shared/view/memory.js';
import { ReplayResults } from '../replay/replay-results.js';
import { SendButton } from '../replay/send-button.js';
import { SignatureChoice } from '../replay/signature-choice.js';
import { useReplay } from '../replay/use-replay.js';
import { useInspector } from '../view/inspector.js';
import { type BodyForm, type Draft, draftOf, editedOf } from './draft.js';

/** Sends the open request again, with other headers or another body. */
export function EditDialog() {
  const { value: opened } = useInspector().opened;
  return opened ? <Edit row={opened} /> : null;
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
  const { hasSecret } = useInspector().setup.value;
  const [url, setUrl] = useState(() => recallText('replayUrl'));
  const [draft, setDraft] = useState(first);
  const [signature, setSignature] = useState<ReplayRequest['signature']>(
    hasSecret ? 'again' : 'captured',
  );
  const [problem, setProblem] = useState<string>();
  const { state, start, stop } = useReplay();
  const change = (part: Partial<Draft>): void => setDraft({ ...draft, ...part });
  const submit = (event: Event): void => {
    event.preventDefault();
    remember('replayUrl', url);
    try {
      const edited = editedOf(draft);
      setProblem(undefined);
      start([row], { url, signature, edited });
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  return (
    <>
      <form onSubmit={submit}>
        <TextField
          label="URL"
          class="mono"
          type="url"
          name="url"
          autocomplete="on"
          placeholder="http://localhost:3000/hook"
          value={url}
          onText={setUrl}
        />
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
        <SignatureChoice
          chosen={signature}
          captured="with the headers of its signature as above, if any"
          onChoose={setSignature}
        />
        <FieldError error={problem ?? state.error} />
        <div class="dialog-actions">
          <SendButton isRunning={state.isRunning} onStop={stop} />
        </div>
      </form>
      <ReplayResults rows={[row]} state={state} />
    </>
  );
}
