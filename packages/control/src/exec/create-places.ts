import { createError } from '@berth/contract';
import type { MessageSocket } from '@berth/http';
import { type Clock, type Logger, runInBackground } from '@berth/kit';

/** Options of {@link createPlaces}. */
export interface PlacesOptions {
  /** At once for an account. */
  readonly most: number;
  /** Name of the limited things, for people, e.g. `commands`. */
  readonly what: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Time in which a handshake whose place is taken ends. */
const HANDSHAKE_MS = 10_000;

/**
 * Limits what an account does at once on this server. The returned function takes a place, and returns what runs `work` on the connection
 * that the handshake makes and then gives the place back. It throws `too_many_requests`.
 */
export function createPlaces({ most, what, clock, logger }: PlacesOptions) {
  const counts = new Map<string, number>();
  return (account: string, work: (socket: MessageSocket) => Promise<void>): ((socket: MessageSocket) => void) => {
    const count = counts.get(account) ?? 0;
    if (count >= most) {
      throw createError('too_many_requests', `The account has ${count} ${what} already. Close one of them.`);
    }
    counts.set(account, count + 1);
    const giveBack = (): void => {
      const left = (counts.get(account) ?? 1) - 1;
      if (left > 0) counts.set(account, left);
      else counts.delete(account);
    };
    // The handshake may fail after this.
    const unused = clock.setTimer(HANDSHAKE_MS, giveBack);
    return (socket) => {
      unused.cancel();
      runInBackground(`serve ${what}`, work(socket).finally(giveBack), logger);
    };
  };
}
