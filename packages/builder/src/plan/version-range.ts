import { minVersion, Range, satisfies, validRange } from 'semver';

/** A version that a project requests. */
export interface VersionWish {
  /** The version as written, e.g. `lts/iron` or `>=3.10,<3.13`. */
  readonly text: string;
  /** The file or field, e.g. `.nvmrc`. */
  readonly source: string;
  /** The version as an npm range. */
  readonly range: string;
}

/** Reports whether a version of up to three numbers is in a range. */
export function isInRange(version: string, range: string): boolean {
  const [major = '0', minor = '0', patch = '0'] = version.split('.');
  return satisfies(`${major}.${minor}.${patch}`, range, { includePrerelease: true });
}

/** Returns `text` if it is a valid npm range, otherwise undefined. */
export function parseRange(text: string): string | undefined {
  return validRange(text) === null ? undefined : text;
}

/** Expands a range to comparisons: `^3.10` becomes `>=3.10.0 <4.0.0`. */
export function expandRange(range: string): string {
  return new Range(range).range.replaceAll('-0', '');
}

/** Returns the highest of the given majors in a range; undefined if none is. */
export function highestIn(range: string, candidates: readonly number[]): number | undefined {
  const parsed = new Range(range);
  return [...candidates]
    .sort((a, b) => b - a)
    .find((number) => parsed.intersects(new Range(`${number}.x`)) && minVersion(parsed) !== null);
}
