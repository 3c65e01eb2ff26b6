export { findPostgres, NO_POSTGRES, startPostgres } from './start-postgres.ts';
