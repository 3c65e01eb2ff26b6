import type { AuditActor } from '@berth/accounts';
import type { StoredArchive } from '@berth/builder';
import type {
  DeployCommit,
  DeployErrorCode,
  DeployKind,
  DeploySettings,
  DeployStep,
  DeployTraffic,
  SettingsChanges,
} from '@berth/contract';
import type { DeploysTable } from '@berth/database';
import type { AccountId, DeployId } from '@berth/kit';
import type { Selectable } from 'kysely';
import { parseSettings } from '../../store/parse-settings.ts';

/** A stored deploy. */
export interface DeployRecord {
  readonly id: DeployId;
  readonly accountId: AccountId;
  readonly deployment: string;
  /** Order among the deploys of its account and name, from 1. */
  readonly number: number;
  readonly kind: DeployKind;
  readonly step: DeployStep;
  /** Null for kinds that take the settings of a revision. */
  readonly settings: DeploySettings | null;
  readonly archive: StoredArchive | null;
  /** The commit of the archive; null when it isn't known. */
  readonly commit: DeployCommit | null;
  /** The target of a rollback. */
  readonly targetRevision: string | null;
  /** The settings that a redeploy changes. */
  readonly changes: SettingsChanges | null;
  /** The traffic that its revision gets; null for all of it. */
  readonly traffic: DeployTraffic | null;
  /** Requester; null for deploys from before this was recorded. */
  readonly actor: AuditActor | null;
  /** The revision that it creates or restores; null while queued. */
  readonly revision: string | null;
  /** How often a process started or resumed it without an orderly stop. */
  readonly attempts: number;
  /** The epoch of the lease when the record was read. Writes with an earlier epoch than the stored one are refused. */
  readonly leaseEpoch: number;
  readonly isCancelRequested: boolean;
  /** True when its release command succeeded; it is not run again. */
  readonly isReleased: boolean;
  /** Set when it failed. */
  readonly code: DeployErrorCode | null;
  readonly createdAtMs: number;
  readonly endedAtMs: number | null;
}

export function toDeployRecord(row: Selectable<DeploysTable>): DeployRecord {
  return {
    id: row.id as DeployId,
    accountId: row.account_id as AccountId,
    deployment: row.deployment,
    number: row.number,
    kind: row.kind,
    step: row.step,
    settings: row.settings === null ? null : parseSettings(row.settings),
    archive: row.archive === null ? null : (JSON.parse(row.archive) as StoredArchive),
    commit: row.source_commit === null ? null : (JSON.parse(row.source_commit) as DeployCommit),
    targetRevision: row.target_revision,
    changes: row.changes === null ? null : (JSON.parse(row.changes) as SettingsChanges),
    traffic: row.traffic === null ? null : (JSON.parse(row.traffic) as DeployTraffic),
    actor: row.actor_kind && { kind: row.actor_kind, id: row.actor_id },
    revision: row.revision,
    attempts: row.attempts,
    leaseEpoch: row.lease_epoch,
    isCancelRequested: row.is_cancel_requested === 1,
    isReleased: row.released_at !== null,
    code: row.code as DeployErrorCode | null,
    createdAtMs: row.created_at,
    endedAtMs: row.ended_at,
  };
}
