import { findExecutable, runProbe } from '@berth/runtime/drivers';
import type { IdRange } from '../identity/id-range.ts';

/** Blocks the metadata services of clouds, which give out the machine's credentials, for services and builds. */
export interface MetadataGuard {
  /** Why nothing is blocked; absent when the guard works. */
  readonly problem?: string;
  /** Removes the guard. Idempotent. */
  close(): Promise<void>;
}

/** Comes before the rule for the main table (32766, ip-rule(8)). */
const PREFERENCE = '1016';
/**
 * All of IPv4 link-local, and the IPv6 address of AWS. Only TCP is blocked, because on Google's cloud the same address serves DNS over
 * UDP, which services need.
 */
const BLOCKED = [
  { family: '-4', address: '169.254.0.0/16' },
  { family: '-6', address: 'fd00:ec2::/32' },
] as const;

/**
 * Adds routing rules that make the kernel refuse the connections of services (EACCES) by their user ids. The rules stay in force when the
 * server is killed.
 * @param folders Where to look for `ip`.
 * @param range The user ids of services. Undefined when services run as the server's user, which the kernel can't distinguish.
 */
export async function guardMetadata(folders: readonly string[], range: IdRange | undefined): Promise<MetadataGuard> {
  const ip = findExecutable('ip', folders);
  if (!range) return { problem: 'services run as the user of this server', close: async () => {} };
  if (ip === undefined) return { problem: 'the program ip (iproute2) is not installed', close: async () => {} };
  const close = () => unguardMetadata(folders, range);
  await close();
  const [first] = await Promise.all(BLOCKED.map((rule) => runProbe(ruleCommand(ip, 'add', rule, range))));
  // Only the IPv4 rule must succeed: without IPv6 there is no IPv6 metadata address to block.
  if (!first?.isOk) return { problem: `a routing rule was rejected: ${first?.output ?? ''}`, close };
  return { close };
}

/** Removes the rules for these ids, if there are any. */
export async function unguardMetadata(folders: readonly string[], range: IdRange): Promise<void> {
  const ip = findExecutable('ip', folders);
  if (ip === undefined) return;
  await Promise.all(BLOCKED.map((rule) => runProbe(ruleCommand(ip, 'del', rule, range))));
}

function ruleCommand(
  ip: string,
  action: 'add' | 'del',
  { family, address }: { readonly family: string; readonly address: string },
  { first, count }: IdRange,
): string[] {
  const rule = ['pref', PREFERENCE, 'to', address, 'uidrange', `${first}-${first + count - 1}`];
  return [ip, family, 'rule', action, ...rule, 'ipproto', 'tcp', 'prohibit'];
}
