import type { Readable } from 'node:stream';
import type { Builder, StoredArchive } from '@berth/builder';
import {
  createError,
  createValidationError,
  type DeploySettings,
  type DeployTraffic,
  judgeMountPath,
  type MountPolicy,
  parseDeployForm,
  type ValidationIssue,
} from '@berth/contract';
import type { AccountId, Clock } from '@berth/kit';
import { type ReceivedForm, receiveDeployForm } from './receive-deploy-form.ts';

/**
 * Opens an object of one of the account's volumes.
 * @throws `not_found` when there is none.
 */
export type OpenObject = (account: AccountId, volume: string, path: string) => Promise<Readable>;

/** The rules for mounting volumes. */
export interface MountRules {
  /** Why services can't have volumes mounted; undefined when they can. */
  readonly mountProblem?: string | undefined;
  /** Where the runtime lets volumes be mounted. */
  readonly mountPolicy: MountPolicy;
}

export interface ReadDeployOptions extends MountRules {
  readonly account: AccountId;
  readonly body: Readable;
  readonly contentType: string;
  readonly builder: Pick<Builder, 'receive' | 'discard'>;
  readonly clock: Clock;
  readonly reservedNames: readonly string[];
  /** Absent: this version can't deploy from volumes. */
  readonly openObject?: OpenObject | undefined;
}

/** A valid deploy request with its archive on disk. Its receiver discards the archive. */
export interface DeployRequest {
  readonly settings: DeploySettings;
  readonly archive: StoredArchive;
  readonly traffic: DeployTraffic;
}

/**
 * Reads and validates a deploy request. When it throws, nothing is left behind.
 * @throws as {@link receiveDeployForm}; `invalid` with every wrong field; `not_available` for a source_object that this
 *   version can't open.
 */
export async function readDeployRequest(options: ReadDeployOptions): Promise<DeployRequest> {
  const { builder, reservedNames } = options;
  const form = await receiveDeployForm(options);
  const archive = form.archive && form.archive.sizeBytes > 0 ? form.archive : undefined;
  try {
    if (form.archive && !archive) await builder.discard(form.archive);
    const result = parseDeployForm({ fields: form.fields, hasArchive: archive !== undefined, reservedNames });
    const issues = [...form.issues, ...('issues' in result ? explainArchive(result.issues, form) : [])];
    if (issues.length > 0 || 'issues' in result) throw createValidationError(issues);
    const { settings, source, traffic } = result;
    refuseMounts(settings, options);
    if (source.kind === 'object') return { settings, traffic, archive: await receiveObject(options, source.object) };
    if (!archive) throw new Error('the form was accepted without an archive');
    return { settings, traffic, archive };
  } catch (error) {
    if (archive) await builder.discard(archive);
    throw error;
  }
}

/** @throws `invalid` when the platform can't mount any volume, or naming each mount path that its runtime doesn't allow. */
export function refuseMounts(
  { volumes }: Pick<DeploySettings, 'volumes'>,
  { mountProblem, mountPolicy }: MountRules,
): void {
  if (mountProblem !== undefined && volumes.length > 0) {
    throw createValidationError([{ loc: ['body', 'volumes'], msg: mountProblem, type: 'not_mountable' }]);
  }
  const issues = volumes.flatMap(({ mountPath }): ValidationIssue[] => {
    const verdict = judgeMountPath(mountPath, mountPolicy);
    if ('target' in verdict) return [];
    return [{ loc: ['body', 'volumes', mountPath], msg: verdict.problem, type: 'mount_path_invalid' }];
  });
  if (issues.length > 0) throw createValidationError(issues);
}

/** Explains a missing archive: it was sent empty, or under another name. */
function explainArchive(issues: readonly ValidationIssue[], form: ReceivedForm): ValidationIssue[] {
  if (!form.archive) return [...issues];
  const loc = ['body', form.archivePart];
  return issues.map((issue) =>
    issue.loc[1] === 'source_archive.0' ? { loc, msg: 'the archive is empty', type: 'archive_empty' } : issue,
  );
}

async function receiveObject(options: ReadDeployOptions, object: string): Promise<StoredArchive> {
  const { account, builder, openObject } = options;
  if (!openObject) {
    throw createError('not_available', 'source_object is not supported by this server. Send source_archive.0.');
  }
  const [volume = '', ...path] = object.replace(/^\//, '').split('/');
  let source: Readable;
  try {
    source = await openObject(account, volume, path.join('/'));
  } catch (error) {
    const msg = error instanceof Error ? error.message : 'cannot be opened';
    throw createValidationError([{ loc: ['body', 'source_object'], msg, type: 'source_object_not_found' }]);
  }
  try {
    return await builder.receive(source);
  } finally {
    source.destroy();
  }
}
