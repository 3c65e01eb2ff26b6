import { test } from 'vitest';
import { type Engine, openEngine, parseEngineAddress } from '../engine/open-engine.ts';

/** What a test says that needs an engine where none was given to it. */
export const NO_ENGINE = 'needs a Docker engine of its own: eval "$(node tools/test-engine/main.ts start)"';

/** Where the engine for tests is; never the machine's own, which is someone's. */
export const TEST_ENGINE: string | undefined = process.env['BERTH_TEST_ENGINE'];

/** The engine for tests, or undefined. In CI there has to be one. */
export async function findTestEngine(): Promise<Engine | undefined> {
  if (TEST_ENGINE !== undefined) return openEngine(parseEngineAddress(TEST_ENGINE));
  return undefined;
}

/** In the place of a suite that needs an engine: one skipped test that says so. */
export function skipWithoutEngine(suite: string): void {
  test(suite, (context) => context.skip(NO_ENGINE));
}
