/**
 * SIGHUP, which means: read the configuration again. It is handled from the start of the command to its
 * end, since it would end the process at any moment without a handler.
 */
export class Hangup {
  #reload: (() => void) | undefined;
  #isDue = false;

  readonly #onSignal = (): void => {
    if (this.#reload) this.#reload();
    else this.#isDue = true;
  };

  constructor() {
    process.on('SIGHUP', this.#onSignal);
  }

  /** @param reload called at each signal, and at once for those that came before */
  begin(reload: () => void): void {
    this.#reload = reload;
    if (this.#isDue) reload();
  }

  /** From now on signals are ignored, until `end`. */
  ignore(): void {
    this.#reload = undefined;
  }

  end(): void {
    process.off('SIGHUP', this.#onSignal);
  }
}
