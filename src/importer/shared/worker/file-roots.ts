/** `--root from=to`: files below one folder of the plan are below another one here. */
export interface Root {
  /** Absolute, without a slash at its end; empty for `/`. */
  readonly from: string;
  readonly to: string;
}

/** The path of a planned file on this machine: the longest root counts, by whole names of folders. */
export function localPath(path: string, roots: readonly Root[]): string {
  let longest: Root | undefined;
  for (const root of roots) {
    if (isBelow(path, root.from) && root.from.length >= (longest?.from.length ?? 0)) longest = root;
  }
  return longest ? longest.to + path.slice(longest.from.length) : path;
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
