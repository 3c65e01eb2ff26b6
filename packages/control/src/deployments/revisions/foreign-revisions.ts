import type { Builder } from '@berth/builder';
import type { Database } from '@berth/database';
import type { Logger } from '@berth/kit';
import type { Artifact, Capability } from '@berth/runtime';
import type { Kysely } from 'kysely';
import { listServingRevisions } from './revision-store.ts';

export interface ForeignRevisionsContext {
  readonly db: Kysely<Database>;
  readonly builder: Pick<Builder, 'artifactKind'>;
}

/** The `--runtime` that starts each kind of artifact. */
const RUNTIMES: Readonly<Record<Artifact['kind'], string>> = { folder: 'process', image: 'docker' };

/**
 * Returns the names of deployments that were built for another runtime. Their artifacts can't be started here, and a
 * request to them is answered with 503 and the reason, until they are deployed again.
 */
async function listForeign({ db, builder }: ForeignRevisionsContext): Promise<string[]> {
  const serving = await listServingRevisions(db);
  return serving
    .filter(({ artifact }) => artifact !== null && artifact.kind !== builder.artifactKind)
    .map(({ deployment }) => deployment);
}

/** Logs a warning for the operator at the start. */
export async function warnOfForeignRevisions(context: ForeignRevisionsContext, logger: Logger): Promise<void> {
  const deployments = await listForeign(context);
  if (deployments.length === 0) return;
  const runtime = RUNTIMES[context.builder.artifactKind === 'image' ? 'folder' : 'image'];
  logger.warn(
    { deployments },
    `built for the ${runtime} runtime, so they answer 503 here: deploy them again, or start with --runtime ${runtime}`,
  );
}

/** Returns the entry for `berth doctor`, without names, which other accounts must not see. Empty when there are none. */
export async function describeForeignRevisions(context: ForeignRevisionsContext): Promise<Capability[]> {
  const { length } = await listForeign(context);
  if (length === 0) return [];
  const runtime = RUNTIMES[context.builder.artifactKind === 'image' ? 'folder' : 'image'];
  return [
    {
      id: 'foreign-revisions',
      title: 'Deployments of another runtime',
      status: 'missing',
      detail: `${length} ${length === 1 ? 'deployment was' : 'deployments were'} built for the ${runtime} runtime and answer 503 on this one.`,
      remedy: `Deploy them again, or start the server with --runtime ${runtime}.`,
    },
  ];
}
