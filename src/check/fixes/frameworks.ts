export type Language = 'js' | 'python' | 'go' | 'ruby' | 'php';

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
