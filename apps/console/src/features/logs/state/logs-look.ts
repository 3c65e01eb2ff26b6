/** How entries are shown, kept in this browser. */
export interface LogsLook {
  readonly isWrapped: boolean;
  readonly isUtc: boolean;
  readonly hasSeverity: boolean;
}

export const USUAL_LOOK: LogsLook = { isWrapped: false, isUtc: false, hasSeverity: true };

const KEY = 'berth.logs.look';

export function readLogsLook(storage: Pick<Storage, 'getItem'>): LogsLook {
  try {
    const kept = JSON.parse(storage.getItem(KEY) ?? '{}') as Partial<Record<keyof LogsLook, unknown>>;
    const read = (name: keyof LogsLook) => (typeof kept[name] === 'boolean' ? kept[name] : USUAL_LOOK[name]);
    return { isWrapped: read('isWrapped'), isUtc: read('isUtc'), hasSeverity: read('hasSeverity') };
  } catch {
    return USUAL_LOOK;
  }
}

/** Where nothing can be kept, the look is that of this visit. */
export function keepLogsLook(look: LogsLook, storage: Pick<Storage, 'setItem'>): void {
  try {
    storage.setItem(KEY, JSON.stringify(look));
  } catch {}
}
