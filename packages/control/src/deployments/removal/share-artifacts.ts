import type { SharedBuilds } from '@berth/builder';
import type { Database } from '@berth/database';
import { describeError, type Logger } from '@berth/kit';
import type { Artifact } from '@berth/runtime';
import type { Kysely } from 'kysely';

/**
 * Stores the build results that only this server has, because it was alone when it built them, and records where they are.
 * One that fails is logged: the next start tries again.
 */
export async function shareArtifacts(db: Kysely<Database>, shared: SharedBuilds, logger: Logger): Promise<void> {
  const rows = await db
    .selectFrom('revisions')
    .select('artifact as text')
    .where('artifact', 'is not', null)
    .distinct()
    .execute();
  for (const { text } of rows) {
    try {
      const stored = await shared.share(JSON.parse(text ?? 'null') as Artifact);
      if (!stored) continue;
      // Revisions with the same artifact keep the same text.
      await db
        .updateTable('revisions')
        .set({ artifact: JSON.stringify(stored) })
        .where('artifact', '=', text)
        .execute();
    } catch (error) {
      logger.warn(
        { artifact: text, error: describeError(error) },
        'a build result could not be stored for other servers',
      );
    }
  }
}
