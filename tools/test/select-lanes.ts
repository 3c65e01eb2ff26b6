import { existsSync } from 'node:fs';
import path from 'node:path';
import { LANES, type Lane } from './lanes.ts';

const ROOT = path.join(import.meta.dirname, '../..');

/**
 * The lanes that words of a command line ask for: names of lanes, and test files, each run as its lane runs it; all lanes for no words.
 * A file that no lane has is run alone, with a minute for each test.
 *
 * @throws Error with a sentence about a word that is neither.
 */
export function selectLanes(words: readonly string[]): readonly Lane[] {
  if (words.length === 0) return LANES;
  const named = LANES.filter(({ name }) => words.includes(name));
  const files = words.filter((word) => !LANES.some(({ name }) => name === word));
  for (const word of files) {
    if (!/\.test\.ts$/.test(word)) {
      throw new Error(`No lane is called "${word}". Lanes: ${LANES.map(({ name }) => name).join(', ')}.`);
    }
    if (!existsSync(word)) throw new Error(`No test file is at ${path.resolve(word)}.`);
  }
  return [...named, ...files.flatMap((file) => lanesWith(path.resolve(file)))];
}

function lanesWith(file: string): readonly Lane[] {
  const relative = path.relative(ROOT, file);
  const lanes = LANES.filter(({ include }) => include.some((pattern) => path.matchesGlob(relative, pattern)));
  if (lanes.length === 0) return [{ name: relative, include: [file], maxWorkers: 1, testTimeoutMs: 60_000 }];
  return lanes.map(({ leftOut: _, ...lane }) => ({ ...lane, name: `${lane.name} ${relative}`, include: [relative] }));
}
