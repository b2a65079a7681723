import { apiPrefix, type RequestRow } from '../../../src/api/listen.js';
import { Icon } from '../../shared/controls/icon.js';
import { Menu, type MenuItem } from '../../shared/controls/menu.js';
import { rowsIn } from '../../shared/list/rows.js';
import { countOf } from '../../shared/text/format.js';
import { type Inspector, useInspector } from '../view/inspector.js';

/** All requests as a file for evfwd, or some as a page for a colleague. */
export function ExportMenu() {
  const inspector = useInspector();
  const { rows, chosen, selected } = inspector;
  const items: MenuItem[] = [
    {
      icon: 'download',
      title: 'All requests, as NDJSON',
      act: () => download(`${apiPrefix}/requests.ndjson`, 'requests.ndjson'),
    },
  ];
  const addPage = (name: string, requests: () => readonly RequestRow[]): void => {
    items.push({
      icon: 'page',
      title: `${name}, as a page`,
      act: () => void exportPage(inspector, requests()),
    });
  };
  if (selected.value.size > 0) addPage(countOf(chosen.length, 'selected request'), () => chosen);
  else if (chosen[0]) addPage(`Request ${chosen[0].sequence}`, () => chosen);
  if (rows.length > 0) {
    addPage(countOf(rows.length, 'listed request'), () => rowsIn(rows, 0, rows.length));
  }
  return (
    <Menu title="Export" items={items} isFramed>
      <Icon name="download" />
      <span class="word">Export</span>
    </Menu>
  );
}

/** Exports these requests as a page. */
export function ExportPageButton({ requests }: { readonly requests: readonly RequestRow[] }) {
  const inspector = useInspector();
  return (
    <button
      class="button"
      title="One HTML file without secrets, to be sent to a colleague"
      onClick={() => void exportPage(inspector, requests)}
    >
      <Icon name="page" />
      Export page
    </button>
  );
}

/** A browser may read the file only after the click. */
const keptMs = 60_000;

async function exportPage(inspector: Inspector, requests: readonly RequestRow[]): Promise<void> {
  try {
    const page = await inspector.receiver.sharedPage({ ids: requests.map(({ id }) => id) });
    const url = URL.createObjectURL(page);
    download(
      url,
      requests.length === 1 ? `request-${requests[0]!.sequence}.html` : 'requests.html',
    );
    setTimeout(() => URL.revokeObjectURL(url), keptMs);
    inspector.notify('Exported without secrets; look through it before you pass it on');
  } catch (error) {
    inspector.notify((error as Error).message);
  }
}

function download(url: string, name: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
}
