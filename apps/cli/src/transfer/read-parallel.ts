import { UsageError } from '../errors/usage-error.ts';

const DEFAULT_PARALLEL = 8;
const MAX_PARALLEL = 64;

/** Parses the value of `--parallel`. @throws UsageError */
export function readParallel(text: string | undefined): number {
  if (text === undefined) return DEFAULT_PARALLEL;
  const number = /^\d+$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= MAX_PARALLEL) return number;
  throw new UsageError(`--parallel must be a number from 1 to ${MAX_PARALLEL}`);
}
