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

/** The image this broker answers from. It changes first, then whoever follows it acts, then those are told who waited for the change. */
export class BrokerMetadata implements MetadataPublisher {
  readonly name = 'broker';
  readonly #timers: TimerQueue;
  readonly #followers: ((delta: MetadataDelta, image: MetadataImage) => void)[] = [];
  readonly #waiters = new Set<Waiter>();
  #image: MetadataImage = EMPTY_METADATA_IMAGE;

  constructor(options: { readonly timers: TimerQueue }) {
    this.#timers = options.timers;
  }

  get image(): MetadataImage {
    return this.#image;
  }

  /** Calls back at each change, in the order in which the followers were added. */
  follow(follower: (delta: MetadataDelta, image: MetadataImage) => void): void {
    this.#followers.push(follower);
  }

  metadataChanged(delta: MetadataDelta, image: MetadataImage): void {
    this.#image = image;
    for (const follower of this.#followers) follower(delta, image);
    this.recheck();
  }

  /** Looks again at what is waited for: something besides the image has changed. */
  recheck(): void {
    for (const waiter of this.#waiters) if (waiter.isFulfilled(this.#image)) this.#settle(waiter, true);
  }

  /** Resolves with true when the condition holds and all followers have acted on it, with false when it does not within the time. */
  when(isFulfilled: (image: MetadataImage) => boolean, timeoutMs: Millis): Promise<boolean> {
    if (isFulfilled(this.#image)) return Promise.resolve(true);
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
