/** Which threads take a URL to be down: it is down when the first finds it so, and up when the last does. */
export class DownUrls {
  readonly #threads = new Map<string, Set<number>>();

  /** Notes what one thread finds; true where that changes what holds for all. */
  note(url: string, isDown: boolean, thread: number): boolean {
    const threads = this.#threads.get(url) ?? new Set();
    this.#threads.set(url, threads);
    const wasDown = threads.size > 0;
    if (isDown) threads.add(thread);
    else threads.delete(thread);
    return wasDown !== threads.size > 0;
  }
}
