import type { JSX } from 'preact';
import { Detail } from '../detail/detail.js';
import { FaultDialog } from '../faults/fault-dialog.js';
import { Toolbar } from '../filter/toolbar.js';
import { RequestList } from '../list/request-list.js';
import { Pictures } from '../picture/pictures.js';
import { ReplayDialog } from '../replay/replay-dialog.js';
import { Announcer } from '../shared/controls/announcer.js';
import { Notice } from '../shared/controls/notice.js';
import { useKeys } from '../shared/keys/use-keys.js';
import { useInspector, useView } from '../view/use-view.js';
import type { DialogName } from '../view/view.js';
import { Address } from './address.js';
import { ClearDialog } from './clear-dialog.js';
import { Empty } from './empty.js';
import { Header } from './header.js';
import { HelpDialog } from './help-dialog.js';
import { keys } from './keys.js';
import { SelectionBar } from './selection-bar.js';

const dialogs: Readonly<Record<DialogName, () => JSX.Element>> = {
  faults: FaultDialog,
  replay: ReplayDialog,
  clear: ClearDialog,
  help: HelpDialog,
};

const lostText =
  'The connection to the receiver is lost. Trying again; is evfwd listen still running?';

/** The whole page. */
export function App() {
  const inspector = useInspector();
  useKeys(keys, inspector, () => inspector.view.value.dialog !== undefined);
  const dialog = useView((view) => view.dialog);
  const opened = useView((view) => view.opened);
  const notice = useView((view) => view.notice);
  const isLost = useView((view) => view.connection === 'lost');
  const OpenDialog = dialog && dialogs[dialog];
  return (
    <div class={opened ? 'app has-detail' : 'app'}>
      <a class="skip" href="#requests">
        Skip to the requests
      </a>
      <Header />
      <Address />
      <Announcer
        arrived={() => inspector.log.appended}
        watch={(watcher) => inspector.view.watch(watcher)}
        noun="request"
        lost={isLost ? lostText : undefined}
      />
      <main>
        <Requests />
        {opened && <Detail key={opened.sequence} row={opened} />}
      </main>
      <SelectionBar />
      <Notice notice={notice} onRead={() => inspector.view.set({ notice: undefined })} />
      {OpenDialog && <OpenDialog />}
    </div>
  );
}

function Requests() {
  const { log } = useInspector();
  useView((view) => view.version);
  const isConnecting = useView((view) => view.connection === 'connecting');
  const isPaused = useView((view) => view.isPaused);
  const showsPictures = useView((view) => view.showsPictures);
  if (log.kept.length === 0 && !isPaused) return isConnecting ? null : <Empty />;
  return (
    <div class="requests">
      {showsPictures && <Pictures />}
      <Toolbar />
      <RequestList />
    </div>
  );
}
