import type { ColumnType } from 'kysely';

/** A name and the live revision under it. Names are unique over all accounts. */
export interface DeploymentsTable {
  readonly name: string;
  readonly account_id: string;
  /** `reserved`: only its environment was set; it is in no list until its first deploy. */
  status: 'reserved' | 'building' | 'deploying' | 'ready' | 'failed' | 'deleting';
  /** JSON of `DeploySettings`: those of the current revision, or of the newest try while none ever served; null while reserved. */
  settings: string | null;
  /** The revision that has the traffic; null before the first one has it. */
  current_revision: string | null;
  /** Version of its environment; 0 before the first change. */
  environment_version: number;
  /** That of the current revision. */
  kind: ColumnType<'service' | 'agent', 'service' | 'agent' | undefined, 'service' | 'agent'>;
  /** Id of the newest deploy, which may have been removed since; null before the first one. */
  last_deploy: string | null;
  /** When it was stopped, epoch milliseconds; null while it serves. */
  stopped_at: ColumnType<number | null, number | null | undefined, number | null>;
  /** Rises when it is restarted, stopped or resumed, so that gateways replace the instances of the same revision. */
  generation: ColumnType<number, number | undefined, number>;
  readonly created_at: number;
  updated_at: number;
}

/** The result of a deploy. Settings, environment version and artifact never change; the artifact goes when it is retired. */
export interface RevisionsTable {
  readonly account_id: string;
  readonly deployment: string;
  /** From 1, rising; never given twice to one account and name, even after a deletion. */
  readonly number: number;
  /** `<name>-<number, 5 digits>-<3 letters>`. */
  readonly revision: string;
  status: 'building' | 'ready' | 'failed' | 'retired';
  /** JSON of `DeploySettings`. */
  readonly settings: string;
  /** JSON of `Artifact`; null before the build ended and once it was removed. */
  artifact: string | null;
  /** `sha256:<hex>` of what was built. */
  digest: string | null;
  environment_version: number;
  /** JSON list of the variables that its `berth.json` requires; null in revisions from before it was recorded. */
  required_env: string | null;
  /** SHA-256 of the archive that it was built from; null in revisions from before it was recorded. */
  readonly source_sha256: string | null;
  readonly deploy_id: string;
  /** When it lost the traffic, epoch milliseconds; its last requests may still run. Null while it has it, or never had. */
  served_until: number | null;
  readonly created_at: number;
}

/** The last revision number given out; outlives the deployment. */
export interface RevisionCountersTable {
  readonly account_id: string;
  readonly deployment: string;
  last_number: number;
}

/** A deploy, rollback or change of environment or settings on its way: a state machine that survives the process. */
export interface DeploysTable {
  /** `dpl_…`. */
  readonly id: string;
  readonly account_id: string;
  readonly deployment: string;
  /** Order among the deploys of this account and name, from 1. */
  readonly number: number;
  readonly kind: 'deploy' | 'rollback' | 'environment' | 'redeploy' | 'restart' | 'stop' | 'resume';
  /** Requester; null in rows from before it was recorded. */
  readonly actor_kind: 'key' | 'session' | 'system' | null;
  /** Key id or user id; null for the platform itself. */
  readonly actor_id: string | null;
  step: 'queued' | 'building' | 'deploying' | 'done' | 'failed' | 'cancelled';
  /** JSON of `DeploySettings`; null for the kinds that take those of a revision. */
  readonly settings: string | null;
  /** JSON of `StoredArchive`; null when there is none or it was discarded. */
  archive: string | null;
  /** The revision that a rollback goes back to. */
  readonly target_revision: string | null;
  /** For a redeploy: JSON of the deploy form's fields, as texts, that differ from those of the revision that serves. */
  readonly changes: string | null;
  /** JSON of `DeployTraffic`: the traffic that its revision gets; null for all of it. */
  readonly traffic: ColumnType<string | null, string | null | undefined, never>;
  /** The revision that it makes or brings back; null while queued. */
  revision: string | null;
  /** The process that drives it; null when none does. */
  lease_owner: string | null;
  /** After it another process may take the deploy over. */
  lease_expires_at: number | null;
  /** Rises whenever a process takes the lease: what an earlier holder writes is refused. */
  lease_epoch: ColumnType<number, number | undefined, number>;
  /** Times that a process began or took up its work without ending in order. */
  attempts: number;
  is_cancel_requested: number;
  /** When its release command ended well; null before, and when there is none. */
  released_at: number | null;
  /** Result code of the contract; null until it ended other than well. */
  code: string | null;
  /** JSON of the `DeployCommit` that it deploys; null for a source that isn't a commit. */
  readonly source_commit: ColumnType<string | null, string | null | undefined, never>;
  /** Sequence number of its newest event. */
  last_seq: number;
  readonly created_at: number;
  updated_at: number;
  /** Null while it runs. */
  ended_at: number | null;
}

/** Events of a deploy. */
export interface DeployEventsTable {
  readonly deploy_id: string;
  readonly account_id: string;
  /** From 1, without gaps. */
  readonly seq: number;
  /** JSON of the event as the contract shows it, without `deploy_id`, `seq` and `time`. */
  readonly body: string;
  readonly created_at: number;
}

/** Storage that outlives deployments. Names are per account. */
export interface VolumesTable {
  readonly account_id: string;
  readonly name: string;
  /** Names its bytes in the object store; never given twice to one account. */
  readonly storage_id: string;
  /** Last known size of all its objects. */
  size_bytes: number;
  object_count: number;
  /** When all of it was last counted, epoch milliseconds; 0: never. */
  counted_at: number;
  readonly created_at: number;
}

/** A volume that was deleted and whose bytes are still there. Several of one name may be. */
export interface DeletedVolumesTable {
  readonly account_id: string;
  readonly name: string;
  readonly storage_id: string;
  readonly size_bytes: number;
  readonly object_count: number;
  readonly created_at: number;
  readonly deleted_at: number;
}

/** Where the serving revision of a deployment sees a volume. */
export interface VolumeAttachmentsTable {
  readonly account_id: string;
  readonly deployment: string;
  readonly mount_path: string;
  readonly volume: string;
}

/**
 * A variable's value over the versions of its deployment's environment: it holds from `since_version` up to, and
 * without, `until_version`.
 */
export interface EnvironmentVariablesTable {
  readonly account_id: string;
  readonly deployment: string;
  readonly key: string;
  readonly since_version: number;
  /** Null: it still holds. */
  until_version: number | null;
  /** Sealed; never the value itself. References are resolved in it. */
  readonly sealed_value: string;
  readonly created_at: number;
  readonly is_plain: ColumnType<number, number | undefined, never>;
  /** The value as it was set, when it has references. Sealed. */
  readonly sealed_template: ColumnType<string | null, string | null | undefined, never>;
  /** JSON: the keys of the shared variables that it refers to; null without references. */
  readonly shared_keys: ColumnType<string | null, string | null | undefined, never>;
}

/** A variable of an account, which variables of its deployments may refer to. */
export interface SharedVariablesTable {
  readonly account_id: string;
  readonly key: string;
  sealed_value: string;
  is_plain: number;
  updated_at: number;
}

/** Token by which a service recognizes its scheduled calls: one for the life of a deployment. */
export interface CronTokensTable {
  readonly account_id: string;
  readonly deployment: string;
  /** Sealed; never the token itself. */
  readonly sealed_token: string;
  readonly created_at: number;
}

/** The branch of a deployment that `git push` deploys. */
export interface PushedBranchesTable {
  readonly deployment: string;
  readonly account_id: string;
  /** Without `refs/heads/`. */
  branch: string;
  /** Rises with each change: of two pushes at once, the second finds another version and is refused. */
  version: number;
  /** The commit that was pushed last, 40 hex digits; null before the first push. */
  commit_sha: string | null;
  /** The branch's commit when the deploy of `commit_sha` fails. */
  previous_sha: string | null;
  /** The deploy of `commit_sha`. */
  deploy_id: string | null;
  /** Path of the pack with the branch's history in the object store; null before the first push. */
  object: string | null;
  updated_at: number;
}
