import { type Kysely, sql } from 'kysely';
import type { AgentDatabase } from '../database/agent-database.ts';
import type { AgentSchema } from '../database/schema.ts';
import type { AppDataStore, AppPlace, AppRow } from '../ports/app-data-store.ts';

/**
 * The highest code point, which no key contains: a prefix followed by it is an upper bound of all keys with the prefix.
 */
const HIGHEST = '\u{10ffff}';

/** Creates the store of app data. */
export function createAppDataStore({ db }: AgentDatabase): AppDataStore {
  return {
    find: (place, key) => findRow(db, place, key),
    list({ owner, slug, who }, { prefix, after, limit }) {
      let query = db
        .selectFrom('app_data')
        .select(['key', 'who', 'value', 'version'])
        .where('owner', '=', owner)
        .where('slug', '=', slug)
        .where('key', '>=', prefix)
        .where('key', '<', prefix + HIGHEST);
      query = who === undefined ? query.where('who', '<>', '') : query.where('who', '=', who);
      if (after) {
        query = query
          .where('key', '>=', after.key)
          .where((eb) => eb.or([eb('key', '>', after.key), eb('who', '>', after.who)]));
      }
      return query.orderBy('key').orderBy('who').limit(limit).execute();
    },
    put(place, key, value, expected) {
      return db.transaction().execute(async (trx) => {
        // This write comes first, to lock the place for the rest of the transaction.
        const version = await nextVersion(trx, place);
        if (expected !== undefined) {
          const row = await findRow(trx, place, key);
          if ((row?.version ?? 0) !== expected) return undefined;
        }
        await trx
          .insertInto('app_data')
          .values({ ...place, key, value, version })
          .onConflict((conflict) => conflict.columns(['owner', 'slug', 'key', 'who']).doUpdateSet({ value, version }))
          .execute();
        return { key, value, version };
      });
    },
    async remove({ owner, slug, who }, key) {
      const query = db.deleteFrom('app_data').where((eb) => eb.and({ owner, slug, who }));
      const some = key.endsWith('/')
        ? query.where('key', '>=', key).where('key', '<', key + HIGHEST)
        : query.where('key', '=', key);
      return Number((await some.executeTakeFirst()).numDeletedRows);
    },
    async moveApp(owner, slug, to) {
      if (slug === to) return;
      await db.transaction().execute(async (trx) => {
        const versions = trx.deleteFrom('app_data_versions').where('owner', '=', owner).where('slug', '=', slug);
        for (const { who, version } of await versions.returning(['who', 'version']).execute()) {
          await trx
            .insertInto('app_data_versions')
            .values({ owner, slug: to, who, version })
            .onConflict((conflict) =>
              conflict.columns(['owner', 'slug', 'who']).doUpdateSet((eb) => ({
                version: sql<number>`case when ${eb.ref('app_data_versions.version')} < ${version} then ${version} else ${eb.ref('app_data_versions.version')} end`,
              })),
            )
            .execute();
        }
        // The app's rows replace rows left under its new name.
        await sql`delete from app_data where owner = ${owner} and slug = ${to} and exists (
          select 1 from app_data moved where moved.owner = ${owner} and moved.slug = ${slug}
            and moved.key = app_data.key and moved.who = app_data.who)`.execute(trx);
        const rows = trx.updateTable('app_data').set({ slug: to });
        await rows.where('owner', '=', owner).where('slug', '=', slug).execute();
      });
    },
    async removeApp(owner, slug) {
      await db.transaction().execute(async (trx) => {
        for (const table of ['app_data', 'app_data_versions'] as const) {
          await trx.deleteFrom(table).where('owner', '=', owner).where('slug', '=', slug).execute();
        }
      });
    },
  };
}

function findRow(db: Kysely<AgentSchema>, place: AppPlace, key: string): Promise<AppRow | undefined> {
  const rows = db.selectFrom('app_data').select(['key', 'value', 'version']);
  return rows.where((eb) => eb.and({ ...place, key })).executeTakeFirst();
}

async function nextVersion(db: Kysely<AgentSchema>, place: AppPlace): Promise<number> {
  const { version } = await db
    .insertInto('app_data_versions')
    .values({ ...place, version: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['owner', 'slug', 'who'])
        .doUpdateSet((eb) => ({ version: eb('app_data_versions.version', '+', 1) })),
    )
    .returning('version')
    .executeTakeFirstOrThrow();
  return version;
}
