import type { Serve } from '../network/connection.ts';

/** Holds requests back until the node is ready for them: at most one a connection, since a connection serves one at a time. */
export class ServingGate {
  #isOpen = false;
  #waiting: (() => void)[] = [];

  /** The same service, behind this gate. */
  guard(serve: Serve): Serve {
    return (connection) => {
      const take = serve(connection);
      return (frame) => {
        if (this.#isOpen) take(frame);
        else this.#waiting.push(() => void (connection.isClosed || take(frame)));
      };
    };
  }

  open(): void {
    this.#isOpen = true;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const take of waiting) take();
  }
}
