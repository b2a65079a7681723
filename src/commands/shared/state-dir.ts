/** The directory for state, unless `--state-dir` names another. */
export const defaultStateDir = '.evfwd';
