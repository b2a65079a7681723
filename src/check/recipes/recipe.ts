/** A fix in code, as few lines as possible for each framework. */
export type RecipeName =
  | 'accept'
  | 'verify'
  | 'raw-body'
  | 'rotate'
  | 'fresh'
  | 'quick'
  | 'repeat'
  | 'bad-body'
  | 'size'
  | 'methods'
  | 'connection'
  | 'https'
  | 'errors'
  | 'limit'
  | 'handshake';

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

/** The code of one fix for each framework, without a newline at its end. */
export type Recipe = Readonly<Record<Framework, string>>;
