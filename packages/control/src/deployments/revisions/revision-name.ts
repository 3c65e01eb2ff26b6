import { randomInt } from 'node:crypto';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/**
 * Returns the name of a revision, e.g. `hello-00001-abc`, which services get in `K_REVISION`.
 * The number alone makes it unique for its deployment; the letters keep people from guessing the next one.
 */
export function revisionName(
  deployment: string,
  number: number,
  randomBelow: (bound: number) => number = (bound) => randomInt(bound),
): string {
  let letters = '';
  for (let i = 0; i < 3; i++) letters += LETTERS[randomBelow(LETTERS.length)];
  return `${deployment}-${String(number).padStart(5, '0')}-${letters}`;
}
