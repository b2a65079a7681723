import { Connection } from '../../shared/controls/connection.js';
import { CopyButton } from '../../shared/controls/copy-button.js';
import { Icon } from '../../shared/controls/icon.js';
import { ThemeButton } from '../../shared/controls/theme-button.js';
import { useOperations, useView } from '../view/use-view.js';

/** Whose page this is, whether it is live, and what can be done with the whole of it. */
export function Header() {
  const operations = useOperations();
  const connection = useView((view) => view.connection);
  const theme = useView((view) => view.theme);
  return (
    <header class="top">
      <h1>
        evfwd <span>serve</span>
      </h1>
      <p class="url">
        <code>{location.origin}</code>
        <CopyButton text={location.origin} what="the URL" />
      </p>
      <Connection state={connection} />
      <div class="top-actions">
        <button class="button" onClick={() => operations.show({ name: 'delete-user' })}>
          <Icon name="user" />
          <span class="word">Delete a user</span>
        </button>
        <ThemeButton theme={theme} onNext={() => operations.nextTheme()} />
        <button
          class="icon-button help"
          aria-label="Keys"
          title="Keys (?)"
          onClick={() => operations.show({ name: 'help' })}
        >
          <Icon name="help" />
        </button>
      </div>
    </header>
  );
}
