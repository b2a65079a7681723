import { Linter } from 'eslint';
import { spawnSync } from '../../helpers/run-sync.js';

/** What comes from outside of a fix: the router of the framework, and what JavaScript and Node.js have. */
const globals = [
  ...['app', 'process', 'console', 'Buffer', 'URL', 'URLSearchParams', 'Response', 'setImmediate'],
].map((name) => [name, 'readonly'] as const);

const linter = new Linter();

/** Names that stand nowhere, and what is wrong with the syntax. */
export function undefinedInJs(code: string): string[] {
  const problems = linter.verify(code, {
    languageOptions: { ecmaVersion: 2024, globals: Object.fromEntries(globals) },
    rules: { 'no-undef': 'error' },
  });
  return problems.map(({ message }) => message);
}

/** What Python loads and nothing binds. */
const program = `
import ast, builtins, json, sys
for code in json.load(sys.stdin):
    tree = list(ast.walk(ast.parse(code)))
    bound = {"app", *dir(builtins)}
    for node in tree:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            bound |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            bound.add(node.name)
        if isinstance(node, ast.arg):
            bound.add(node.arg)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            bound.add(node.id)
    for node in tree:
        if isinstance(node, ast.Name) and node.id not in bound:
            print(node.id)
`;

/** The same of Python; undefined where there is none. */
export function undefinedInPython(codes: readonly string[]): string[] | undefined {
  const { status, stdout, stderr, error } = spawnSync('python3', ['-c', program], {
    input: JSON.stringify(codes),
    encoding: 'utf8',
  });
  if (error && 'code' in error && error.code === 'ENOENT') return undefined;
  if (error) throw error;
  if (status !== 0) return [stderr];
  return stdout.split('\n').filter((name) => name !== '');
}
