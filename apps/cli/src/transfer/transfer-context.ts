import type { Client } from '@berth/client';
import type { Clock } from '@berth/kit';
import type { StorageClient } from './storage-request.ts';

/** Dependencies of every transfer. */
export interface TransferContext {
  readonly client: Client;
  readonly storage: StorageClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called with the bytes sent or received; negative when some must be sent again. */
  onBytes(bytes: number): void;
}

/** Transfers of this size and more are resumed; smaller ones are repeated. */
export const RESUMABLE_BYTES = 64 * 2 ** 20;
