import { createError } from '@berth/contract';

/** The fields of `GET /version` that are used to negotiate a version. Source: Docker Engine API, SystemVersion. */
export interface OfferedVersions {
  readonly Version?: string;
  readonly ApiVersion?: string;
  readonly MinAPIVersion?: string;
}

/** The oldest version with memory and CPU limits on both cgroup versions. Docker 20.10 and Podman 4 have it. */
const OLDEST = '1.41';
/** The newest version whose changes were reviewed (Docker 28.2). */
const NEWEST = '1.50';

/**
 * Returns the newest API version that both sides support.
 * @throws BerthError `unavailable` when there is none, naming the side that is too old.
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

/** Compares versions like `1.41`. Negative: `one` is older than `other`; 0: equal; positive: newer. */
function compareVersions(one: string, other: string): number {
  const [[majorOne = 0, minorOne = 0], [majorOther = 0, minorOther = 0]] = [one, other].map((text) =>
    text.split('.').map(Number),
  ) as [number[], number[]];
  return majorOne - majorOther || minorOne - minorOther;
}
