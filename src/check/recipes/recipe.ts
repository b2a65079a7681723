/** A fix in code, as few lines as possible for each framework. */
export type RecipeName =
  | 'accept'
  | 'redirect'
  | 'tolerate'
  | 'verify'
  | 'raw-body'
  | 'rotate'
  | 'fresh'
  | 'quick'
  | 'repeat'
  | 'order'
  | 'bad-body'
  | 'size'
  | 'methods'
  | 'connection'
  | 'https'
  | 'https-only'
  | 'errors'
  | 'limit'
  | 'handshake'
  | 'handshake-zoom'
  | 'handshake-meta'
  | 'handshake-cloudevents';

export const frameworks = [
  'Express',
  'Next.js',
  'Fastify',
  'FastAPI',
  'Flask',
  'Go',
  'Rails',
  'Laravel',
] as const;
export type Framework = (typeof frameworks)[number];

/** The language of a framework, as Markdown fences name it. */
export const languages: Readonly<Record<Framework, string>> = {
  Express: 'js',
  'Next.js': 'js',
  Fastify: 'js',
  FastAPI: 'python',
  Flask: 'python',
  Go: 'go',
  Rails: 'ruby',
  Laravel: 'php',
};

/** The code of one fix for each framework, without a newline at its end. */
export type Recipe = Readonly<Record<Framework, string>>;

/** A template literal as it is written, without its indentation and its first and last newline. */
export function code({ raw }: TemplateStringsArray): string {
  const lines = raw
    .join('')
    .replace(/^\n|\n *$/g, '')
    .split('\n');
  const indents = lines.filter((line) => line !== '').map((line) => /^ */.exec(line)![0].length);
  const indent = Math.min(...indents);
  return lines.map((line) => line.slice(indent)).join('\n');
}
