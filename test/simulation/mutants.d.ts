/** A defect: the first `from` becomes `to` in a file of `src/`. */
export interface Mutant {
  readonly name: string;
  /** The program that has it; `serve` where it is absent. */
  readonly only?: 'import';
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

export const mutants: readonly Mutant[];
