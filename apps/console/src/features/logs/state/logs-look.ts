import { readStored } from '../../../state/read-stored.ts';

/** Display options for entries, kept in this browser. */
export interface LogsLook {
  readonly isWrapped: boolean;
  readonly isUtc: boolean;
  readonly hasSeverity: boolean;
}

/** Default display options. */
export const USUAL_LOOK: LogsLook = { isWrapped: false, isUtc: false, hasSeverity: true };

const KEY = 'berth.logs.look';

/** Returns the stored display options; the defaults for missing or invalid ones. */
export function readLogsLook(storage: Pick<Storage, 'getItem'>): LogsLook {
  const kept = (readStored(storage, KEY) ?? {}) as Partial<Record<keyof LogsLook, unknown>>;
  const read = (name: keyof LogsLook) => (typeof kept[name] === 'boolean' ? kept[name] : USUAL_LOOK[name]);
  return { isWrapped: read('isWrapped'), isUtc: read('isUtc'), hasSeverity: read('hasSeverity') };
}

/** Stores the display options. If storage is unavailable, they last until the page is closed. */
export function keepLogsLook(look: LogsLook, storage: Pick<Storage, 'setItem'>): void {
  try {
    storage.setItem(KEY, JSON.stringify(look));
  } catch {}
}
