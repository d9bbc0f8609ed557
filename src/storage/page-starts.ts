const PAGES_MIN = 16;

/** The first entry of every page of an index file that was read once: a search that knows them reads the one page it needs. */
export class PageStarts {
  /** Where `locate` found the entry. */
  view: Buffer;
  readonly #entryBytes: number;
  #isKnown = new Uint8Array(PAGES_MIN);

  constructor(entryBytes: number) {
    this.#entryBytes = entryBytes;
    this.view = Buffer.alloc(PAGES_MIN * entryBytes);
  }

  /** The place of the page's first entry in `view`; −1 if it is not known. */
  locate(page: number): number {
    return this.#isKnown[page] === 1 ? page * this.#entryBytes : -1;
  }

  /** Takes note of the first entry of a page. */
  note(page: number, bytes: Uint8Array): void {
    if (this.#isKnown[page] === 1) return;
    if (page >= this.#isKnown.length) this.#growTo(page + 1);
    this.view.set(bytes.subarray(0, this.#entryBytes), page * this.#entryBytes);
    this.#isKnown[page] = 1;
  }

  #growTo(pages: number): void {
    const count = Math.max(pages, this.#isKnown.length * 2);
    const isKnown = new Uint8Array(count);
    isKnown.set(this.#isKnown);
    const view = Buffer.alloc(count * this.#entryBytes);
    view.set(this.view);
    this.#isKnown = isKnown;
    this.view = view;
  }
}
