/** A string that is an identifier of one kind; two kinds can't be mixed up. */
export type Id<Kind extends string> = string & { readonly __kind: Kind };

export type AccountId = Id<'account'>;
export type DeployId = Id<'deploy'>;
export type InstanceId = Id<'instance'>;

/** Crockford's base 32, lower case: no i, l, o, u, so an id read aloud or in a URL is unambiguous. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Digits of an id: 10 of time (50 bits of milliseconds), 16 of randomness (80 bits). */
const TIME_DIGITS = 10;
const RANDOM_DIGITS = 16;

/** Makes ids. Injected, so that tests can have predictable ones. */
export interface IdSource {
  /**
   * `<prefix>_` + 10 characters of time (ms) + 16 of randomness. Of one source an id made later sorts later, also within
   * a millisecond and after the clock went back: then the randomness of the one before is counted up by one.
   */
  next<Kind extends string>(prefix: string): Id<Kind>;
}

/**
 * The ids of production. `nowMs` is wall time; `random` fills bytes from a cryptographic source.
 */
export function createIdSource(
  nowMs: () => number = () => Date.now(),
  random: (size: number) => Uint8Array = (size) => crypto.getRandomValues(new Uint8Array(size)),
): IdSource {
  let lastMs = -1;
  let digits: number[] = [];
  return {
    next<Kind extends string>(prefix: string) {
      const time = nowMs();
      if (time > lastMs) {
        lastMs = time;
        digits = Array.from(random(RANDOM_DIGITS), (byte) => byte & 31);
      } else if (!countUp(digits)) {
        // All digits were at their end: the next millisecond has room.
        lastMs++;
      }
      return `${prefix}_${timeText(lastMs)}${digits.map((digit) => ALPHABET[digit]).join('')}` as Id<Kind>;
    },
  };
}

function timeText(ms: number): string {
  let rest = ms;
  let text = '';
  for (let i = 0; i < TIME_DIGITS; i++) {
    text = ALPHABET[rest % 32] + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

/** Adds one to the number that `digits` are in base 32; false when it went round to zero. */
function countUp(digits: number[]): boolean {
  for (let i = digits.length - 1; i >= 0; i--) {
    const digit = ((digits[i] ?? 0) + 1) % 32;
    digits[i] = digit;
    if (digit !== 0) return true;
  }
  return false;
}
