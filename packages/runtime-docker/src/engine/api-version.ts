import { createError } from '@berth/contract';

/** The part of `GET /version` that a version is agreed on with. Source: Docker Engine API, SystemVersion. */
export interface OfferedVersions {
  readonly Version?: string;
  readonly ApiVersion?: string;
  readonly MinAPIVersion?: string;
}

/** Docker 20.10 and Podman 4 have it: the oldest with memory and CPU control on both kinds of cgroups. */
const OLDEST = '1.41';
/** The newest whose changes were read for what Berth uses (Docker 28.2). */
const NEWEST = '1.50';

/**
 * The newest version that both sides know.
 * @throws BerthError `unavailable` when there is none, saying which side is too old.
 */
export function chooseApiVersion(
  { Version, ApiVersion = '0', MinAPIVersion = '0' }: OfferedVersions,
  address: string,
): string {
  const name = `The engine at ${address} (${Version ?? 'unknown'}, API ${ApiVersion})`;
  if (compareVersions(ApiVersion, OLDEST) < 0) {
    throw createError(
      'unavailable',
      `${name} is too old: Berth needs API ${OLDEST}, which Docker 20.10 and Podman 4 have.`,
    );
  }
  if (compareVersions(MinAPIVersion, NEWEST) > 0) {
    throw createError(
      'unavailable',
      `${name} speaks only API ${MinAPIVersion} and newer; this version of Berth knows ${NEWEST} at most.`,
    );
  }
  return compareVersions(ApiVersion, NEWEST) > 0 ? NEWEST : ApiVersion;
}

/** Below, at or above zero, as `one` is older than, the same as or newer than `other`; both like `1.41`. */
function compareVersions(one: string, other: string): number {
  const [[majorOne = 0, minorOne = 0], [majorOther = 0, minorOther = 0]] = [one, other].map((text) =>
    text.split('.').map(Number),
  ) as [number[], number[]];
  return majorOne - majorOther || minorOne - minorOther;
}
