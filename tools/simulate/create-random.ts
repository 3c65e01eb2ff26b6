/** Returns numbers in [0, 1), the same sequence for the same seeds. */
export type Random = () => number;

/**
 * The generator mulberry32 (a 32-bit state, period 2^32): fast, and even enough for traffic.
 *
 * @param seeds integers; each combination is a stream of its own.
 */
export function createRandom(...seeds: readonly number[]): Random {
  let state = 0x9e3779b9;
  for (const seed of seeds) state = mix(state ^ mix(seed | 0));
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    return (mix(state) >>> 0) / 2 ** 32;
  };
}

/** Draws from an exponential distribution, as gaps between independent arrivals. */
export function exponential(random: Random, mean: number): number {
  return -Math.log(1 - random()) * mean;
}

/** Draws from `min` to `max` with every order of magnitude equally likely. */
export function logUniform(random: Random, min: number, max: number): number {
  return min * (max / min) ** random();
}

/** Picks one of several, all equally likely. */
export function pick<Value>(random: Random, values: readonly [Value, ...Value[]]): Value {
  return values[Math.floor(random() * values.length)] ?? values[0];
}

function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 15), value | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return mixed ^ (mixed >>> 14);
}
