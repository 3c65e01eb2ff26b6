import type { Client } from '@berth/client';
import type { Clock } from '@berth/kit';
import type { StorageClient } from './storage-request.ts';

/** What transfers work with. */
export interface TransferContext {
  readonly client: Client;
  readonly storage: StorageClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Told of bytes as they are sent or received; of less than nothing when some have to be sent again. */
  onBytes(bytes: number): void;
}

/** From this size a transfer goes on where it broke off; below it is made again. */
export const RESUMABLE_BYTES = 64 * 2 ** 20;
