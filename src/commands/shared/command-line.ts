/**
 * The command line in the form that commander reads: `help <command>` is `<command> --help`, and
 * `version` and `-v` are `--version`.
 *
 * @param argv Node, the program, then its arguments, as `process.argv`.
 */
export function normalized(argv: readonly string[]): readonly string[] {
  const [node = '', program = '', called, ...rest] = argv;
  if (called === 'help') return [node, program, ...rest.filter(isName), '--help'];
  const isVersion = rest.length === 0 && versionWords.includes(called ?? '');
  return isVersion ? [node, program, '--version'] : argv;
}

const versionWords = ['version', '-v', '-V'];

/** The help of `help`, `version` and flags is that of the program. */
function isName(word: string): boolean {
  return word !== 'help' && word !== 'version' && !word.startsWith('-');
}
