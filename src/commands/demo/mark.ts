import type { Paint } from '../../output/text.js';

export function mark(ok: boolean, paint: Paint): string {
  return ok ? paint.green('✓') : paint.red('✗');
}
