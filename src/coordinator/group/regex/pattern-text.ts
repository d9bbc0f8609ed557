/** A cursor over the code points of a pattern. */
export class PatternText {
  readonly text: string;
  position = 0;

  constructor(text: string) {
    this.text = text;
  }

  get hasMore(): boolean {
    return this.position < this.text.length;
  }

  get rest(): string {
    return this.text.slice(this.position);
  }

  /** The code point here; −1 at the end. */
  peek(): number {
    return this.text.codePointAt(this.position) ?? -1;
  }

  /** Takes the code point here; −1 at the end. */
  next(): number {
    const code = this.peek();
    if (code >= 0) this.position += code > 0xffff ? 2 : 1;
    return code;
  }

  isAt(text: string): boolean {
    return this.text.startsWith(text, this.position);
  }

  /** Skips the text if it stands here. */
  take(text: string): boolean {
    if (!this.isAt(text)) return false;
    this.position += text.length;
    return true;
  }

  /** Takes what stands before the next `end`, and that too; null if it does not come. */
  takeUntil(end: string): string | null {
    const at = this.text.indexOf(end, this.position);
    if (at < 0) return null;
    const taken = this.text.slice(this.position, at);
    this.position = at + end.length;
    return taken;
  }

  takeRest(): string {
    const { rest } = this;
    this.position = this.text.length;
    return rest;
  }
}
