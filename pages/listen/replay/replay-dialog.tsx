import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type {
  EditedRequest,
  ReplayRequest,
  RequestDetail,
  RequestRow,
} from '../../../src/api/listen.js';
import { Dialog } from '../../shared/controls/dialog.js';
import { Choice, FieldError, TextField } from '../../shared/controls/fields.js';
import { countOf } from '../../shared/text/format.js';
import { recallText, remember } from '../../shared/view/memory.js';
import { byArrival } from '../receive/request-log.js';
import { useInspector } from '../view/inspector.js';
import { ReplayResults, type ReplayState, type Result } from './replay-results.js';

/** Replays the selected requests, or else the focused one. */
export function ReplayDialog() {
  const inspector = useInspector();
  const [rows] = useState(() => inspector.chosen);
  return (
    <Dialog
      title={`Replay ${rows.length === 1 ? `request ${rows[0]!.sequence}` : countOf(rows.length, 'request')}`}
    >
      <ReplayForm rows={rows} captured="with the received headers and signature" />
    </Dialog>
  );
}

interface ReplayFormProps {
  readonly rows: readonly RequestRow[];
  /** How it is signed again; null where it cannot be, undefined where each request has its own way. */
  readonly again?: RequestDetail['signsAgain'] | undefined;
  /** What the signature is when it is not made again. */
  readonly captured: string;
  /** What is sent in place of the request as received; throws an error for people when that cannot be. */
  readonly edited?: () => EditedRequest;
  /** More fields. */
  readonly children?: ComponentChildren;
}

/** Sends requests to a URL, signed again or as captured, and shows the results. */
export function ReplayForm({ rows, again, captured, edited, children }: ReplayFormProps) {
  const { hasSecret } = useInspector().setup.value;
  const canSign = hasSecret && again !== null;
  const [url, setUrl] = useState(() => recallText('replayUrl'));
  const [signature, setSignature] = useState<Signature>(canSign ? 'again' : 'captured');
  const [problem, setProblem] = useState<string>();
  const { state, start, stop } = useReplay();
  const submit = (event: Event): void => {
    event.preventDefault();
    remember('replayUrl', url);
    try {
      const request = { url, signature, ...(edited && { edited: edited() }) };
      setProblem(undefined);
      start(rows, request);
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
          error={problem === undefined ? state.error : undefined}
          onText={setUrl}
        />
        {children}
        <SignatureChoice
          chosen={signature}
          again={again}
          captured={captured}
          onChoose={setSignature}
        />
        <FieldError error={problem} />
        <div class="dialog-actions">
          {state.isRunning ? (
            <button key="stop" type="button" class="button" onClick={stop}>
              Stop
            </button>
          ) : (
            <button key="send" class="button primary" disabled={rows.length === 0}>
              Send
            </button>
          )}
        </div>
      </form>
      <ReplayResults rows={rows} state={state} />
    </>
  );
}

type Signature = ReplayRequest['signature'];

interface SignatureChoiceProps extends Pick<ReplayFormProps, 'again'> {
  readonly chosen: Signature;
  /** What the signature is when it is not made again. */
  readonly captured: string;
  readonly onChoose: (signature: Signature) => void;
}

/** Whether a request is signed again or sent with the signature that it has. */
function SignatureChoice({ chosen, again, captured, onChoose }: SignatureChoiceProps) {
  const { hasSecret } = useInspector().setup.value;
  const canSign = hasSecret && again !== null;
  const choices = [
    { value: 'again', title: 'Sign again', text: againText(hasSecret, again) },
    { value: 'captured', title: 'As captured', text: captured },
  ] as const;
  return (
    <fieldset>
      <legend>Signature</legend>
      {choices.map(({ value, title, text }) => (
        <Choice
          key={value}
          type="radio"
          name="signature"
          value={value}
          checked={chosen === value}
          disabled={value === 'again' && !canSign}
          onChange={() => onChoose(value)}
        >
          {title} <span class="quiet">{text}</span>
        </Choice>
      ))}
    </fieldset>
  );
}

function againText(hasSecret: boolean, again: ReplayFormProps['again']): string {
  if (!hasSecret) return 'requires a secret: start evfwd listen with --secret-file';
  if (again === null) return 'no secret covers this path, or nothing tells the scheme';
  if (again === undefined) return 'with the newest secret of its path';
  return `with ${again.secret}, as ${again.scheme}`;
}

/** Requests per call: few, so that results appear soon and the replay can be stopped. */
const atOnce = 10;

/** Replays requests in the order in which they were received. */
function useReplay() {
  const { receiver } = useInspector();
  const [state, setState] = useState<ReplayState>({
    isRunning: false,
    results: [],
    error: undefined,
  });
  const abort = useRef<AbortController>(undefined);
  const stop = (): void => abort.current?.abort();
  useEffect(() => stop, []);

  const run = async (
    rows: readonly RequestRow[],
    request: Omit<ReplayRequest, 'ids'>,
    signal: AbortSignal,
  ): Promise<void> => {
    const ids = [...rows].sort(byArrival).map(({ id }) => id);
    let results: readonly Result[] = [];
    let error: string | undefined;
    setState({ isRunning: true, results, error });
    try {
      for (let i = 0; i < ids.length; i += atOnce) {
        const part = { ...request, ids: ids.slice(i, i + atOnce) };
        results = [...results, ...(await receiver.replay(part, signal)).results];
        setState({ isRunning: true, results, error });
      }
    } catch (failure) {
      error = signal.aborted ? 'Stopped.' : (failure as Error).message;
    }
    setState({ isRunning: false, results, error });
  };

  const start = (rows: readonly RequestRow[], request: Omit<ReplayRequest, 'ids'>): void => {
    abort.current = new AbortController();
    void run(rows, request, abort.current.signal);
  };
  return { state, start, stop };
}
