import { createHash } from 'node:crypto';
import type { InstanceSpec } from '@berth/runtime';

/** Prefix of Berth's labels and annotations. */
const PREFIX = 'berth.dev';
/** Label of everything that Berth creates in a cluster. Its value is the id of the platform. */
export const PLATFORM_LABEL = `${PREFIX}/platform`;
/** Label with the account whose namespace it is, or whose Pod. */
export const ACCOUNT_LABEL = `${PREFIX}/account`;
export const DEPLOYMENT_LABEL = `${PREFIX}/deployment`;
export const REVISION_LABEL = `${PREFIX}/revision`;
export const INSTANCE_LABEL = `${PREFIX}/instance`;
/** Label with what a Pod runs: `service`, or `command` for one that ends by itself. */
export const KIND_LABEL = `${PREFIX}/kind`;

/** Labels that other tools read. Source: Kubernetes, "Recommended Labels". */
const MANAGED_BY = { 'app.kubernetes.io/managed-by': 'berth' };

/** Name of the claim of all volumes in an account's namespace. */
export const ACCOUNT_CLAIM = 'berth-volumes';

/** The name of the container of an instance. */
export const CONTAINER = 'service';

/** Returns a selector of what a platform created. */
export function ofPlatform(platformId: string): string {
  return `${PLATFORM_LABEL}=${platformId}`;
}

/** Returns the namespace of an account. Each account has its own. */
export function namespaceOf(prefix: string, account: string): string {
  return `${prefix}-${toDnsLabel(account, 63 - prefix.length - 1)}`;
}

/** Returns the labels of a namespace. */
export function namespaceLabels(platformId: string, account: string): Record<string, string> {
  return { ...MANAGED_BY, [PLATFORM_LABEL]: platformId, [ACCOUNT_LABEL]: toLabelValue(account) };
}

/** Returns the labels of what belongs to a revision. */
export function revisionLabels(
  platformId: string,
  { owner, revision }: Pick<InstanceSpec, 'owner' | 'revision'>,
): Record<string, string> {
  return {
    ...namespaceLabels(platformId, owner.account),
    'app.kubernetes.io/name': toLabelValue(owner.deployment),
    [DEPLOYMENT_LABEL]: toLabelValue(owner.deployment),
    [REVISION_LABEL]: toLabelValue(revision),
  };
}

/** Returns the name of a revision's objects. */
export function revisionName({ owner, revision }: Pick<InstanceSpec, 'owner' | 'revision'>): string {
  return toDnsLabel(revision.startsWith(owner.deployment) ? revision : `${owner.deployment}-${revision}`, 63);
}

/** Returns the name of the Pod of an instance. */
export function podName({ owner, instanceId }: Pick<InstanceSpec, 'owner' | 'instanceId'>): string {
  return toDnsLabel(`${owner.deployment}-${instanceId}`, 63);
}

/** Returns a DNS label (RFC 1123) of `text`. Different texts have different labels. */
export function toDnsLabel(text: string, maxLength: number): string {
  if (text.length <= maxLength && /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(text)) return text;
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 10);
  const readable = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, maxLength - digest.length - 1)
    .replace(/-+$/, '');
  return readable === '' ? digest : `${readable}-${digest}`;
}

/** Returns a label value of `text`. Source: Kubernetes, "Labels and Selectors". */
export function toLabelValue(text: string): string {
  return /^[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/.test(text) ? text : toDnsLabel(text, 63);
}
