/** Which threads found a URL down: it is down while at least one thread finds it down. */
export class DownUrls {
  readonly #threads = new Map<string, Set<number>>();

  /** Notes the finding of one thread; true if that changes the overall state. */
  note(url: string, isDown: boolean, thread: number): boolean {
    const threads = this.#threads.get(url) ?? new Set();
    this.#threads.set(url, threads);
    const wasDown = threads.size > 0;
    if (isDown) threads.add(thread);
    else threads.delete(thread);
    return wasDown !== threads.size > 0;
  }
}
