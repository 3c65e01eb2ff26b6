import { findPostgres, NO_POSTGRES, startPostgres } from '@berth/postgres/testing';
import { SHARED_POSTGRES } from './open-test-database.ts';

/** A global setup of Vitest, which calls it by this name: one Postgres for all its workers, gone after the last. */
export async function setup(): Promise<() => Promise<void>> {
  const programs = findPostgres();
  if (programs === undefined) throw new Error(NO_POSTGRES);
  const { url, close } = await startPostgres(programs);
  process.env[SHARED_POSTGRES] = url;
  return async () => {
    delete process.env[SHARED_POSTGRES];
    await close();
  };
}
