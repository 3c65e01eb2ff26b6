export { findPostgres, NO_POSTGRES, startPostgres, type TestPostgres } from './start-postgres.ts';
