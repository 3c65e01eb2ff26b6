/**
 * `node disk-records-main.ts` prints what the database of BERTH_DATABASE_URL knows of files: built revisions and deleted volumes, as lines of
 * JSON. `berth admin disk` runs it.
 */
import { openDatabase } from '@berth/database';
import { BerthError } from '@berth/kit';

try {
  const { db, close } = await openDatabase({ url: process.env['BERTH_DATABASE_URL'] ?? '' });
  const revisions = await db
    .selectFrom('revisions')
    .leftJoin('deployments', (join) =>
      join
        .onRef('deployments.account_id', '=', 'revisions.account_id')
        .onRef('deployments.name', '=', 'revisions.deployment')
        .onRef('deployments.current_revision', '=', 'revisions.revision'),
    )
    .select(['revisions.artifact', 'deployments.name'])
    .where('revisions.artifact', 'is not', null)
    .execute();
  for (const { artifact, name } of revisions) print({ artifact, is_current: name === null ? 0 : 1 });
  const volumes = await db.selectFrom('deleted_volumes').select(['account_id', 'storage_id']).execute();
  for (const row of volumes) print(row);
  await close();
} catch (error) {
  console.error(BerthError.is(error) ? `berth: ${error.message}` : error);
  process.exitCode = 1;
}

function print(line: object): void {
  console.log(JSON.stringify(line));
}
