/** Where imports keep what they know, unless `--state-dir` says otherwise. */
export const defaultStateDir = '.evfwd';
