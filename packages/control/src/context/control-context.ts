import type { AuditLog } from '@berth/accounts';
import type { Database } from '@berth/database';
import type { Clock, IdSource, Logger } from '@berth/kit';
import type { Kysely } from 'kysely';

/** Shared dependencies of the control plane's parts. Each picks those that it uses. */
export interface ControlContext {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly logger: Logger;
  readonly audit: Pick<AuditLog, 'record'>;
}
