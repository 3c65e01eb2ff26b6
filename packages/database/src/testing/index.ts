export { findPostgres, NO_POSTGRES, startPostgres, type TestPostgres } from '@berth/postgres/testing';
export { createTestSealer } from './create-test-sealer.ts';
export { isOnPostgres, openTestDatabase, refuseWrites, rehearseTransactions } from './open-test-database.ts';
