/** A Lua script, as data: all that varies is passed as keys and arguments, never written into its text. */
export interface Script {
  readonly name: string;
  readonly keys: number;
  readonly lua: string;
}
