export type Language = 'js' | 'python' | 'go' | 'ruby' | 'php';

interface FrameworkFacts {
  /** As a flag has it, and as the file in `fixes/` is named. */
  readonly name: string;
  /** As Markdown fences name it. */
  readonly language: Language;
}

/** For which there is code, by the title that is shown. */
const facts = {
  Express: { name: 'express', language: 'js' },
  'Next.js': { name: 'nextjs', language: 'js' },
  Fastify: { name: 'fastify', language: 'js' },
  FastAPI: { name: 'fastapi', language: 'python' },
  Flask: { name: 'flask', language: 'python' },
  Go: { name: 'go', language: 'go' },
  Rails: { name: 'rails', language: 'ruby' },
  Laravel: { name: 'laravel', language: 'php' },
} as const satisfies Readonly<Record<string, FrameworkFacts>>;

export type Framework = keyof typeof facts;

export const frameworks = Object.keys(facts) as Framework[];

/** The names that `--framework` takes. */
export const frameworkNames: readonly string[] = frameworks.map(flagNameOf);

export function flagNameOf(framework: Framework): string {
  return facts[framework].name;
}

export function languageOf(framework: Framework): Language {
  return facts[framework].language;
}
