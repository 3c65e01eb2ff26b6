import { type DeploymentSettings, type RollbackPreview, SETTING_FIELDS, toDeploymentSettings } from '@berth/contract';
import type { RevisionRecord } from './revision-store.ts';

/** A revision with the variables it was made with. */
export interface ComparedRevision {
  readonly record: Pick<RevisionRecord, 'revision' | 'digest' | 'settings'>;
  readonly environment: ReadonlyMap<string, string>;
}

/** Returns what changes when `to` serves instead of `from`. Variables are named without their values. */
export function compareRevisions(
  from: ComparedRevision,
  to: ComparedRevision,
): Omit<RollbackPreview, 'created_volumes'> {
  const before = toDeploymentSettings(from.record.settings);
  const after = toDeploymentSettings(to.record.settings);
  const { digest } = to.record;
  return {
    from: from.record.revision,
    to: to.record.revision,
    build: from.record.digest === digest ? null : { from: from.record.digest, to: digest },
    settings: SETTING_FIELDS.flatMap((field) =>
      field === 'volumes' || field === 'schedule' || isSame(before[field], after[field])
        ? []
        : [{ field, from: before[field], to: after[field] }],
    ),
    schedule: isSame(before.schedule, after.schedule) ? null : { from: before.schedule, to: after.schedule },
    volumes: changedMounts(before.volumes, after.volumes),
    variables: changedVariables(from.environment, to.environment),
  };
}

function changedMounts(
  before: DeploymentSettings['volumes'],
  after: DeploymentSettings['volumes'],
): RollbackPreview['volumes'] {
  return sortedKeys(Object.keys(before), Object.keys(after)).flatMap((path) => {
    const [from = null, to = null] = [before[path], after[path]];
    return isSame(from, to) ? [] : [{ mount_path: path, from, to }];
  });
}

function changedVariables(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): RollbackPreview['variables'] {
  return sortedKeys(before.keys(), after.keys()).flatMap((key) => {
    if (before.get(key) === after.get(key)) return [];
    const change = !before.has(key) ? 'added' : after.has(key) ? 'changed' : 'removed';
    return [{ key, change } as const];
  });
}

const sortedKeys = (one: Iterable<string>, other: Iterable<string>) => [...new Set([...one, ...other])].sort();

/** Compares values whose keys are always written in the same order. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
