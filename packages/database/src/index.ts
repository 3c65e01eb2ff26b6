export { claimDatabase, createLeaseThread, type LeaseThread, type Notices } from '@berth/postgres';
export { isUniqueViolation, type Migration } from '@berth/sqlite';
export {
  type CopiedDigest,
  type CopyDatabaseOptions,
  type CopyProgress,
  type CopySource,
  completeCopy,
  copyInto,
  copyToPostgres,
  copyToSqlite,
  countTables,
  putAside,
  requireNewestSchema,
} from './copy/copy-database.ts';
export type { AdaptedValue } from './copy/copy-rows.ts';
export { type HeldPlace, holdSchema, openForReading, readSchemaState, releaseCopy } from './copy/held-copy.ts';
export type { DumpedTable } from './dump/dumped-table.ts';
export { type DumpTarget, loadDump } from './dump/load-dump.ts';
export { type DatabaseDump, openDump } from './dump/open-dump.ts';
export type { LogDatabase } from './log-database/log-schema.ts';
export { type OpenLogDatabaseOptions, openLogDatabase } from './log-database/open-log-database.ts';
export { SCHEMA } from './migrations/index.ts';
export { type OpenDatabase, type OpenDatabaseOptions, openDatabase } from './open-database.ts';
export type * from './schema/index.ts';
export { createSealer, type Sealer, type SealingKey } from './sealing/create-sealer.ts';
export {
  isSealedByCurrent,
  promoteSealingKey,
  type ResealOptions,
  resealSecrets,
} from './sealing/rotate-sealing-key.ts';
export {
  acmeAccountContext,
  alertSecretContext,
  canOpenSealed,
  certificateContext,
  cronTokenContext,
  identityKeyContext,
  mailContext,
  repositoryContext,
  type Sealers,
  sharedVariableContext,
  templateContext,
  variableContext,
} from './sealing/sealed-columns.ts';
export { findSealingKey, registerSealingKey } from './sealing/sealing-keys.ts';
