import type { LogEntry } from '@berth/contract';
import type { StoredEntry } from '@berth/logstore';

/** Maps an entry to the API's shape. Source: docs/contract/control-plane.md §6. */
export function toLogEntry({ timestamp, severity, message }: StoredEntry): LogEntry {
  return { timestamp, severity, message };
}
