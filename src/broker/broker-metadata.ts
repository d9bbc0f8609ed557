import type { Millis, Timer } from '../base/clock.ts';
import type { TimerQueue } from '../base/timer-queue.ts';
import type { MetadataDelta } from '../metadata/metadata-delta.ts';
import { EMPTY_METADATA_IMAGE, type MetadataImage } from '../metadata/metadata-image.ts';
import type { MetadataPublisher } from '../metadata/publisher.ts';

interface Waiter {
  readonly isFulfilled: (image: MetadataImage) => boolean;
  readonly resolve: (isFulfilled: boolean) => void;
  timer: Timer | null;
}

/** Acts on a change; what takes several turns is promised, and whoever comes later waits for it. */
type Follower = (delta: MetadataDelta, image: MetadataImage) => void | Promise<void>;

interface Change {
  readonly delta: MetadataDelta;
  readonly image: MetadataImage;
}

/**
 * The image this broker answers from. It changes first, then whoever follows it acts, then those are told who waited for the change. Followers are told one change after
 * another, so that they may be some changes behind the image.
 */
export class BrokerMetadata implements MetadataPublisher {
  readonly name = 'broker';
  readonly #timers: TimerQueue;
  readonly #followers: Follower[] = [];
  /** Changes that not all followers have acted on. */
  readonly #changes: Change[] = [];
  readonly #waiters = new Set<Waiter>();
  #image: MetadataImage = EMPTY_METADATA_IMAGE;

  constructor(options: { readonly timers: TimerQueue }) {
    this.#timers = options.timers;
  }

  get image(): MetadataImage {
    return this.#image;
  }

  /** Calls back at each change, in the order in which the followers were added. */
  follow(follower: Follower): void {
    this.#followers.push(follower);
  }

  metadataChanged(delta: MetadataDelta, image: MetadataImage): void {
    this.#image = image;
    this.#changes.push({ delta, image });
    if (this.#changes.length === 1) this.#tellFrom(0);
  }

  /** Tells the followers of the first change, from one of them on, and of those after it. */
  #tellFrom(first: number): void {
    let next = first;
    for (let change = this.#changes[0]; change !== undefined; change = this.#changes[0]) {
      for (const [index, follower] of this.#followers.entries()) {
        if (index < next) continue;
        const acting = follower(change.delta, change.image);
        // What goes wrong is a bug, and stops the process as it would if it went wrong at once.
        if (acting instanceof Promise) return void acting.then(() => this.#tellFrom(index + 1));
      }
      next = 0;
      this.#changes.shift();
    }
    this.recheck();
  }

  /** Looks again at what is waited for: something besides the image has changed. */
  recheck(): void {
    if (this.#changes.length > 0) return;
    for (const waiter of this.#waiters) if (waiter.isFulfilled(this.#image)) this.#settle(waiter, true);
  }

  /** Resolves with true when the condition holds and all followers have acted on it, with false when it does not within the time. */
  when(isFulfilled: (image: MetadataImage) => boolean, timeoutMs: Millis): Promise<boolean> {
    if (this.#changes.length === 0 && isFulfilled(this.#image)) return Promise.resolve(true);
    return new Promise((resolve) => {
      const waiter: Waiter = { isFulfilled, resolve, timer: null };
      waiter.timer = this.#timers.schedule(timeoutMs, () => this.#settle(waiter, false));
      this.#waiters.add(waiter);
    });
  }

  #settle(waiter: Waiter, isFulfilled: boolean): void {
    this.#waiters.delete(waiter);
    waiter.timer?.cancel();
    waiter.resolve(isFulfilled);
  }
}
