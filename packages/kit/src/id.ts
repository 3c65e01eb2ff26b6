/** An identifier of one kind. The type keeps identifiers of different kinds apart. */
export type Id<Kind extends string> = string & { readonly __kind: Kind };

/** An account's identifier. */
export type AccountId = Id<'account'>;
/** A deploy's identifier. */
export type DeployId = Id<'deploy'>;
/** An instance's identifier. */
export type InstanceId = Id<'instance'>;

/**
 * Crockford's base 32 in lower case, without i, l, o and u, so that an id is unambiguous when read aloud or in a URL.
 */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Characters of an id: 10 for the time (50 bits of milliseconds) and 16 random ones (80 bits). */
const TIME_DIGITS = 10;
const RANDOM_DIGITS = 16;

/** A source of identifiers. Injected, so that tests can use predictable ids. */
export interface IdSource {
  /**
   * Returns `<prefix>_`, 10 characters of time in milliseconds and 16 random characters. Ids from one source sort in
   * creation order, even within a millisecond or after the clock went back: in those cases the random part of the
   * previous id is incremented.
   */
  next<Kind extends string>(prefix: string): Id<Kind>;
}

/**
 * Creates an id source. `nowMs` returns wall time; `random` returns the given number of bytes from a cryptographic
 * source.
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
        // The random part wrapped around, so the id uses the next millisecond.
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

/** Increments `digits`, a number in base 32; returns false if it wrapped around to zero. */
function countUp(digits: number[]): boolean {
  for (let i = digits.length - 1; i >= 0; i--) {
    const digit = ((digits[i] ?? 0) + 1) % 32;
    digits[i] = digit;
    if (digit !== 0) return true;
  }
  return false;
}
