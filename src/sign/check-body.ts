import { digestsOfStream } from './x-signature.js';
import { judgeDigest, type SignatureFault } from './judge.js';

export interface BodyCheck {
  readonly valid: boolean;
  /** Absent when valid, as is `hint`. */
  readonly reason?: SignatureFault;
  readonly hint?: string;
  /** Size of the body. */
  readonly bytes: number;
}

export interface BodyCheckOptions {
  readonly signature: string;
  /** At least one; any that fits. */
  readonly secrets: readonly (string | Buffer)[];
  /** Keeps the body in memory to look for a common mistake. Otherwise it may be of any size. */
  readonly explain: boolean;
}

/** A larger body is checked but not explained: that needs copies of it in memory. */
const longestExplained = 256 * 1024 * 1024;

/** Checks an `X-Signature` against a body that arrives in pieces. */
export async function checkBody(
  chunks: AsyncIterable<Buffer>,
  { signature, secrets, explain: isExplained }: BodyCheckOptions,
): Promise<BodyCheck> {
  const kept: Buffer[] = [];
  let bytes = 0;
  const expected = await digestsOfStream(
    passing(chunks, (chunk) => {
      bytes += chunk.length;
      if (isExplained && bytes <= longestExplained) kept.push(chunk);
    }),
    secrets,
  );
  const judgements = expected.map((digest) => judgeDigest(digest, signature));
  if (judgements.some(({ valid }) => valid)) return { valid: true, bytes };
  const judgement = judgements[0]!;
  const reason = judgement.reason!;
  if (!isExplained) return { valid: false, reason, hint: judgement.message, bytes };
  if (bytes > longestExplained) {
    const hint = `${judgement.message}; the body is too large to be explained (above 256 MiB)`;
    return { valid: false, reason, hint, bytes };
  }
  const { explainBySecrets } = await import('./explain/explain.js');
  const { hintOf } = await import('./explain/hint.js');
  const hint = hintOf(judgement, explainBySecrets(Buffer.concat(kept), signature, secrets));
  return { valid: false, reason, hint, bytes };
}

async function* passing(
  chunks: AsyncIterable<Buffer>,
  see: (chunk: Buffer) => void,
): AsyncIterable<Buffer> {
  for await (const chunk of chunks) {
    see(chunk);
    yield chunk;
  }
}
