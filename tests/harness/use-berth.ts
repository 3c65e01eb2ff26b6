import { afterAll, beforeAll } from 'vitest';
import { type Berth, type BerthOptions, createBerth } from './berth.ts';

/** One server for all tests of the file (or of the `describe` it is called in). */
export function useBerth(options: BerthOptions = {}): Berth {
  const berth = createBerth(options);
  beforeAll(() => berth.start());
  afterAll(() => berth.close());
  return berth;
}
