import type { AuditLog } from '@berth/accounts';
import type { Database } from '@berth/database';
import type { Clock, IdSource, Logger } from '@berth/kit';
import type { Kysely } from 'kysely';

/** What the parts of the control plane share. Each picks what it uses. */
export interface ControlContext {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly logger: Logger;
  readonly audit: Pick<AuditLog, 'record'>;
}
