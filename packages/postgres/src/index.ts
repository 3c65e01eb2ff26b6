export { claimDatabase, type DatabaseClaim } from './claim-database.ts';
export { createLeaseThread, type LeaseThread, type LeaseThreadOptions } from './create-lease-thread.ts';
export { noNulPlugin } from './no-nul-plugin.ts';
export type { Notices } from './notices.ts';
export { connectionSettings, openPool } from './open-pool.ts';
export { connectPostgres, type OpenPostgres, type OpenPostgresOptions, openPostgres } from './open-postgres.ts';
