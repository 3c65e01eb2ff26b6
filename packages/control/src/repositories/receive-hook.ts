import { createHash } from 'node:crypto';
import { createError, REPOSITORY_LIMITS } from '@berth/contract';
import { type Database, repositoryContext } from '@berth/database';
import type { Kysely } from 'kysely';
import type { ForgeEvent, ReadHeader } from './forges/forge.ts';
import { hooksOf } from './forges/open-forge.ts';
import {
  closePreviews,
  previewName,
  type RepositoryContext,
  type RepositoryRow,
  supersedeRuns,
} from './repository-context.ts';

/** A request of a webhook. */
export interface HookRequest {
  readonly id: string;
  readonly header: ReadHeader;
  readonly body: Uint8Array;
}

/**
 * Receives requests of forges' webhooks. Invariants:
 * 1. A request without a valid signature learns nothing, also not whether the repository exists.
 * 2. The work is recorded before the answer.
 * 3. A body is acted on once, so a repeated request, by the forge or by a thief, deploys nothing.
 */
export function createHookReceiver({ db, clock, ids, sealer }: RepositoryContext) {
  /** @throws `too_many_requests` */
  const refuseFlood = async (transaction: Kysely<Database>, id: string): Promise<void> => {
    const { count } = await transaction
      .selectFrom('repository_deliveries')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('repository_id', '=', id)
      .where('created_at', '>', clock.nowMs() - 60_000)
      .executeTakeFirstOrThrow();
    if (Number(count) <= REPOSITORY_LIMITS.hooksPerMinute) return;
    throw createError(
      'too_many_requests',
      `A repository may send ${REPOSITORY_LIMITS.hooksPerMinute} events in a minute. Send it again later.`,
    );
  };

  const queue = async (
    transaction: Kysely<Database>,
    { id: repository_id, sealed_token }: RepositoryRow,
    { number, sha, title }: { readonly number: number | null; readonly sha: string; readonly title: string },
  ): Promise<void> => {
    await supersedeRuns(transaction, repository_id, number);
    const nowMs = clock.nowMs();
    await transaction
      .insertInto('repository_runs')
      .values({
        ...{ id: ids.next('rrn'), repository_id, number, sha, title, state: 'queued', deploy_id: null, error: null },
        ...{ attempts: 0, next_attempt_at: nowMs, created_at: nowMs },
        ...{
          is_reported: sealed_token === null ? 1 : 0,
          report_attempts: 0,
          next_report_at: nowMs,
          report_error: null,
        },
      })
      .execute();
  };

  const openPreview = async (
    transaction: Kysely<Database>,
    row: RepositoryRow,
    { number, sha, title }: Extract<ForgeEvent, { kind: 'open' }>,
  ): Promise<string> => {
    const previews = transaction.selectFrom('repository_previews').select('number').where('repository_id', '=', row.id);
    const others = await previews.where('number', '!=', number).execute();
    if (others.length >= REPOSITORY_LIMITS.previews)
      return `The repository has ${others.length} previews, the maximum.`;
    const expires_at = clock.nowMs() + row.preview_ttl_ms;
    await transaction
      .insertInto('repository_previews')
      .values({
        ...{ repository_id: row.id, number, deployment: previewName(row.deployment, number) },
        ...{ is_claimed: 0, is_closing: 0, expires_at, comment_id: null },
      })
      .onConflict((conflict) =>
        conflict.columns(['repository_id', 'number']).doUpdateSet({ is_closing: 0, expires_at }),
      )
      .execute();
    await queue(transaction, row, { number, sha, title });
    return 'The preview is queued.';
  };

  const apply = async (transaction: Kysely<Database>, row: RepositoryRow, event: ForgeEvent): Promise<string> => {
    if (event.kind === 'close') {
      await closePreviews(transaction, row.id, event.number);
      await supersedeRuns(transaction, row.id, event.number);
      return 'The preview is being deleted, if there is one.';
    }
    if (event.kind === 'open') {
      if (row.previews_enabled !== 1) return 'Previews are off.';
      if (event.isFork) return 'Pull requests from forks get no preview.';
      if (event.base !== row.branch) return `Only pull requests to ${row.branch} get a preview.`;
      return openPreview(transaction, row, event);
    }
    const { branch, sha, title, files } = event;
    if (branch !== row.branch) return `Only pushes to ${row.branch} deploy.`;
    const folder = row.folder === null ? undefined : `${row.folder}/`;
    if (folder !== undefined && files && !files.some((file) => file.startsWith(folder))) {
      return `Nothing below ${row.folder} has changed.`;
    }
    await queue(transaction, row, { number: null, sha, title });
    return 'The deploy is queued.';
  };

  return {
    /**
     * Records what a request asks for, and returns what that is.
     * @throws `not_found` for an unknown repository and for a wrong signature; `bad_request` for a body that isn't JSON
     */
    async receive({ id, header, body }: HookRequest): Promise<string> {
      const connected = db.selectFrom('repositories').selectAll().where('id', '=', id);
      const row = await connected.where('ended_at', 'is', null).executeTakeFirst();
      // The signature is computed without a row, too, so that the time tells little.
      const hooks = hooksOf(row?.forge ?? 'github');
      const secret = row ? sealer.open(row.sealed_secret, repositoryContext(row.id, 'secret')) : 'unknown';
      if (!hooks.isSigned(header, body, secret) || !row) {
        throw createError('not_found', 'There is no webhook with this URL and this secret.');
      }
      const event = hooks.readEvent(header, parse(body));
      if (!event) return 'Berth does nothing on this event.';
      const digest = createHash('sha256').update(body).digest('hex');
      return db.transaction().execute(async (transaction) => {
        const delivery = await transaction
          .insertInto('repository_deliveries')
          .values({ repository_id: row.id, digest, created_at: clock.nowMs() })
          .onConflict((conflict) => conflict.doNothing())
          .returning('digest')
          .executeTakeFirst();
        if (!delivery) return 'This request was received before.';
        await refuseFlood(transaction, row.id);
        return apply(transaction, row, event);
      });
    },
  };
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    throw createError('bad_request', 'The body is not JSON. Set the content type of the webhook to application/json.');
  }
}
