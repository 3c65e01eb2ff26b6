import { EventEmitter } from 'node:events';
import type { Notices } from '@berth/postgres';

/**
 * Creates the notices of a database that one process uses.
 * @param onCommit calls back when the transaction that is open now is committed.
 */
export function createLocalNotices(onCommit: (callback: () => void) => void): Notices {
  const emitter = new EventEmitter();
  emitter.setMaxListeners(0);
  return {
    async publish(channel, payload, db) {
      if (db?.isTransaction) onCommit(() => void emitter.emit(channel, payload));
      else emitter.emit(channel, payload);
    },
    subscribe(channel, listener) {
      emitter.on(channel, listener);
      return () => void emitter.off(channel, listener);
    },
  };
}
