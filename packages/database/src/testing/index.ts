export { isOnPostgres, openTestDatabase, refuseWrites } from './open-test-database.ts';
