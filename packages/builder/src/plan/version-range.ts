import { minVersion, Range, satisfies, validRange } from 'semver';

/** A version that a project asks for. */
export interface VersionWish {
  /** As it is written, e.g. `lts/iron` or `>=3.10,<3.13`. */
  readonly text: string;
  /** Where, e.g. `.nvmrc`. */
  readonly source: string;
  /** The same as npm's ranges are written. */
  readonly range: string;
}

/** Whether a version of up to three numbers is in a range. */
export function isInRange(version: string, range: string): boolean {
  const [major = '0', minor = '0', patch = '0'] = version.split('.');
  return satisfies(`${major}.${minor}.${patch}`, range, { includePrerelease: true });
}

/** Undefined when it is no range. */
export function parseRange(text: string): string | undefined {
  return validRange(text) === null ? undefined : text;
}

/** A range in comparisons alone: `^3.10` is `>=3.10.0 <4.0.0`. */
export function expandRange(range: string): string {
  return new Range(range).range.replaceAll('-0', '');
}

/** The highest of these majors (or, with `prefix`, minors) that a range takes; undefined when it takes none. */
export function highestIn(range: string, candidates: readonly number[], prefix = ''): number | undefined {
  const parsed = new Range(range);
  return [...candidates]
    .sort((a, b) => b - a)
    .find((number) => parsed.intersects(new Range(`${prefix}${number}.x`)) && minVersion(parsed) !== null);
}
