import type { Producer } from '../../../src/client/producer.ts';
import type { SimulatedRandom } from '../../../simulation/simulated-random.ts';
import type { Job } from './worker.ts';

export const BANK_TOPIC = 'bank';
export const BANK_PARTITIONS = 4;
const ABORTED_ONCE_IN = 4;

/** What became of the transfers, as far as the tellers were told. */
export class BankLedger {
  readonly committed = new Set<string>();
  readonly aborted = new Set<string>();
  #next = 0;

  newTransfer(): string {
    return String(this.#next++);
  }
}

/** Moves money between accounts: what one loses another gets, or nothing happens. */
export class BankJob implements Job {
  readonly #ledger: BankLedger;

  constructor(ledger: BankLedger) {
    this.#ledger = ledger;
  }

  async step(producer: Producer, random: SimulatedRandom): Promise<void> {
    const transfers = Array.from({ length: 1 + random.integer(5) }, () => this.#ledger.newTransfer());
    producer.beginTransaction();
    const sent = transfers.flatMap((transfer) => {
      const amount = 1 + random.integer(1_000);
      return [-amount, amount].map((change) => {
        const value = JSON.stringify({ transfer, change });
        return producer.send({ topic: BANK_TOPIC, partition: random.integer(BANK_PARTITIONS), value });
      });
    });
    // Whichever fails first is the one that is told.
    for (const send of sent) send.catch(() => undefined);
    try {
      if (random.oneIn(ABORTED_ONCE_IN)) {
        await producer.abortTransaction();
        for (const transfer of transfers) this.#ledger.aborted.add(transfer);
      } else {
        await Promise.all([...sent, producer.commitTransaction()]);
        for (const transfer of transfers) this.#ledger.committed.add(transfer);
      }
    } catch (error) {
      await producer.abortTransaction().catch(() => undefined);
      throw error;
    }
  }

  async close(): Promise<void> {
    // It holds nothing.
  }
}
