import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Whether a program is on the PATH. */
export function isInstalled(name) {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
