export { createTestSealer } from './create-test-sealer.ts';
export { isOnPostgres, openTestDatabase, refuseWrites } from './open-test-database.ts';
