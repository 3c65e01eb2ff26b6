import type { Migration } from '../migration.ts';
import { accountsMigration } from './0001-accounts.ts';

/** Every migration, in order. */
export const MIGRATIONS: readonly Migration[] = [accountsMigration];
