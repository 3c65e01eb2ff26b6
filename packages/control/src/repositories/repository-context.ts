import type { Builder, StoredArchive } from '@berth/builder';
import type { FileSettings } from '@berth/contract';
import type { Database, RepositoriesTable, Sealer } from '@berth/database';
import type { DeployKey, Git } from '@berth/git';
import type { AccountId } from '@berth/kit';
import type { Kysely, Selectable } from 'kysely';
import type { ControlContext } from '../context/control-context.ts';
import type { Deployments } from '../deployments/create-deployments.ts';
import type { MountRules } from '../deployments/deploys/intake/read-deploy-request.ts';
import type { ReserveNameDeps } from '../deployments/store/reserve-name.ts';
import type { WebhookAccess } from '../outbound/webhook-access.ts';

/** A row of a connected repository. */
export type RepositoryRow = Selectable<RepositoriesTable>;

/** A commit to fetch. */
export interface CommitRequest {
  readonly account: AccountId;
  /** The deployment that it is built for. */
  readonly deployment: string;
  /** The clone URL, without credentials; that of SSH with a deploy key. */
  readonly url: string;
  readonly sha: string;
  readonly folder: string | null;
  readonly credentials: { readonly username: string; readonly password: string } | undefined;
  /** For an SSH URL. */
  readonly deployKey: DeployKey | undefined;
  readonly signal: AbortSignal;
}

/** The files of a commit, received as the archive of a deploy. */
export interface CommitFiles {
  readonly archive: StoredArchive;
  /** The settings in its `berth.json`. */
  readonly settings: FileSettings;
}

/**
 * Fetches a commit. The receiver discards the archive.
 * @throws BerthError; `unavailable` when it may succeed later, and the signal's reason.
 */
export type ReceiveCommit = (request: CommitRequest) => Promise<CommitFiles>;

/** Shared dependencies of the parts of connected repositories. */
export interface RepositoryContext
  extends MountRules,
    Pick<ControlContext, 'db' | 'clock' | 'ids' | 'logger' | 'audit'> {
  readonly sealer: Sealer;
  readonly access: WebhookAccess;
  readonly deployments: Pick<Deployments, 'deploys' | 'deletion' | 'environment'>;
  readonly builder: Pick<Builder, 'discard'>;
  readonly entitlements: ReserveNameDeps['entitlements'];
  readonly receiveCommit: ReceiveCommit;
  readonly git: Pick<Git, 'readHostKey'>;
  /** The address of a deployment. */
  urlOf(deployment: string): string;
  /** The address of the console and the API. */
  readonly baseUrl: string;
  readonly reservedNames: readonly string[];
}

/** Returns the name of the deployment that previews a pull request. */
export const previewName = (deployment: string, number: number) => `${deployment}-pr-${number}`;

/** The payload URL of a repository's webhook. */
export const hookUrl = (baseUrl: string, id: string) => new URL(`/v1/hooks/git/${id}`, baseUrl).href;

/** Returns the repository that is connected to a deployment of the account. */
export const findRepository = (db: Kysely<Database>, account: AccountId, deployment: string) =>
  db
    .selectFrom('repositories')
    .selectAll()
    .where('account_id', '=', account)
    .where('deployment', '=', deployment)
    .where('ended_at', 'is', null)
    .executeTakeFirst();

/** Marks the previews that match for deletion. */
export const closePreviews = (db: Kysely<Database>, repository: string, number?: number) => {
  const previews = db.updateTable('repository_previews').set({ is_closing: 1 }).where('repository_id', '=', repository);
  return (number === undefined ? previews : previews.where('number', '=', number)).execute();
};

/** Gives up the runs that have not begun. @param number a pull request; null for pushes; undefined for all. */
export const supersedeRuns = (db: Kysely<Database>, repository: string, number?: number | null) => {
  const runs = db
    .updateTable('repository_runs')
    .set({ state: 'superseded', is_reported: 0, report_attempts: 0 })
    .where('repository_id', '=', repository)
    .where('state', '=', 'queued');
  if (number === undefined) return runs.execute();
  return (number === null ? runs.where('number', 'is', null) : runs.where('number', '=', number)).execute();
};

/** Disconnects a repository: its previews are deleted and its webhook is removed in the background. */
export async function endRepository(db: Kysely<Database>, repository: string, nowMs: number): Promise<void> {
  await db.updateTable('repositories').set({ ended_at: nowMs }).where('id', '=', repository).execute();
  await closePreviews(db, repository);
  await supersedeRuns(db, repository);
}
