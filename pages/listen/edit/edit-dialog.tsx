import type { RequestRow } from '../../../src/api/listen.js';
import { Dialog } from '../../shared/controls/dialog.js';
import { FieldError } from '../../shared/controls/fields.js';
import { useLoaded } from '../../shared/detail/use-loaded.js';
import { useInspector } from '../view/inspector.js';
import { draftOf } from './draft.js';
import { EditForm } from './edit-form.js';

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
