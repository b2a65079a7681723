import { useState } from 'preact/hooks';
import type { ReplayRequest } from '../../../src/api/listen.js';
import { Dialog } from '../../shared/controls/dialog.js';
import { TextField } from '../../shared/controls/fields.js';
import { countOf } from '../../shared/text/format.js';
import { recallText, remember } from '../../shared/view/memory.js';
import { useInspector } from '../view/inspector.js';
import { ReplayResults } from './replay-results.js';
import { SendButton } from './send-button.js';
import { SignatureChoice } from './signature-choice.js';
import { useReplay } from './use-replay.js';

/** Replays the selected requests, or else the open one. */
export function ReplayDialog() {
  const inspector = useInspector();
  const [rows] = useState(() => {
    const { value: selected } = inspector.selected;
    if (selected.size > 0) return [...selected.values()];
    return inspector.opened.value ? [inspector.opened.value] : [];
  });
  const [url, setUrl] = useState(() => recallText('replayUrl'));
  const [signature, setSignature] = useState<ReplayRequest['signature']>(
    inspector.setup.value.hasSecret ? 'again' : 'captured',
  );
  const { state, start, stop } = useReplay();
  const submit = (event: Event): void => {
    event.preventDefault();
    remember('replayUrl', url);
    start(rows, { url, signature });
  };
  return (
    <Dialog title={`Replay ${countOf(rows.length, 'request')}`}>
      <form onSubmit={submit}>
        <TextField
          label="URL"
          class="mono"
          type="url"
          name="url"
          autocomplete="on"
          placeholder="http://localhost:3000/hook"
          value={url}
          error={state.error}
          onText={setUrl}
        />
        <SignatureChoice
          chosen={signature}
          captured="with the received headers and signature"
          onChoose={setSignature}
        />
        <div class="dialog-actions">
          <SendButton isRunning={state.isRunning} isDisabled={rows.length === 0} onStop={stop} />
        </div>
      </form>
      <ReplayResults rows={rows} state={state} />
    </Dialog>
  );
}
