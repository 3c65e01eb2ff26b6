import type { Clock } from '@berth/kit';
import type { IdRange } from '../identity/id-range.ts';
import { findExecutable } from './find-executable.ts';
import { runProbe } from './run-probe.ts';

/** Keeps services and builds away from the metadata services of clouds, which hand out the machine's credentials. */
export interface MetadataGuard {
  /** Why there is none; absent when there is. */
  readonly problem?: string;
  /** Takes it away. Idempotent. */
  close(): Promise<void>;
}

/** Before the rule that looks into the main table (32766, ip-rule(8)). */
const PREFERENCE = '1016';
/**
 * All of IPv4 link-local, and the address of AWS over IPv6. Only TCP: on Google's cloud the same address answers DNS over
 * UDP, which services need.
 */
const BLOCKED = [
  { family: '-4', address: '169.254.0.0/16' },
  { family: '-6', address: 'fd00:ec2::/32' },
] as const;

/**
 * Adds a routing rule for the user ids of services: the kernel refuses their connections (EACCES), nobody else's. A
 * server that was killed leaves it behind, in force.
 * @param range Undefined: services run as the server's user, and can't be told apart from it.
 */
export async function guardMetadata(
  folders: readonly string[],
  range: IdRange | undefined,
  clock: Clock,
): Promise<MetadataGuard> {
  const ip = findExecutable('ip', folders);
  if (!range) return { problem: 'services run as the user of this server', close: async () => {} };
  if (ip === undefined) return { problem: 'the program ip (iproute2) is not installed', close: async () => {} };
  const close = () => unguardMetadata(folders, range, clock);
  await close();
  const [first] = await Promise.all(BLOCKED.map((rule) => runProbe(ruleCommand(ip, 'add', rule, range), clock)));
  // A machine without IPv6 has no address there to keep from anybody.
  if (!first?.isOk) return { problem: `a routing rule was refused: ${first?.output ?? ''}`, close };
  return { close };
}

/** Takes the rules for these ids away, if there are any. */
export async function unguardMetadata(folders: readonly string[], range: IdRange, clock: Clock): Promise<void> {
  const ip = findExecutable('ip', folders);
  if (ip === undefined) return;
  await Promise.all(BLOCKED.map((rule) => runProbe(ruleCommand(ip, 'del', rule, range), clock)));
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
