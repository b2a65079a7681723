export type Language = 'js' | 'python' | 'go' | 'ruby' | 'php';

/** What a check asks for in code. */
export type RecipeName = HandlerRecipe | SmallRecipe;

/** All of these are what one good handler does; `fixes/` has it. */
type HandlerRecipe =
  | 'accept'
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
  | 'handshake'
  | 'handshake-zoom';

/** What stands beside the handler: a few lines for each framework. */
const smallRecipes = [
  'redirect',
  'methods',
  'connection',
  'https',
  'https-only',
  'errors',
  'limit',
  'handshake-meta',
  'handshake-cloudevents',
] as const;
export type SmallRecipe = (typeof smallRecipes)[number];

/** A fix in code: checks with the same one have it in common. */
export type Fix = 'handler' | SmallRecipe;

export function fixOf(recipe: RecipeName): Fix {
  return smallRecipes.find((name) => name === recipe) ?? 'handler';
}

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

/** Their names as a flag has them, and as those of the files in `fixes/`. */
export const frameworkNames: Readonly<Record<Framework, string>> = {
  Express: 'express',
  'Next.js': 'nextjs',
  Fastify: 'fastify',
  FastAPI: 'fastapi',
  Flask: 'flask',
  Go: 'go',
  Rails: 'rails',
  Laravel: 'laravel',
};

/** The language of a framework, as Markdown fences name it. */
export const languages: Readonly<Record<Framework, Language>> = {
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
