export { findPostgres, NO_POSTGRES, startPostgres, type TestPostgres } from '@berth/postgres/testing';
export { isOnPostgres, openTestDatabase, refuseWrites } from './open-test-database.ts';
