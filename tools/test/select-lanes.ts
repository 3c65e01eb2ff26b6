import { globSync, statSync } from 'node:fs';
import path from 'node:path';
import { LANES, type Lane } from './lanes.ts';

const ROOT = path.join(import.meta.dirname, '../..');

/**
 * Selects the lanes that the words of a command line name: lanes by their names, and test files and folders by their paths. A lane
 * that is only named by paths runs those files alone, with its own settings; a file of several lanes runs in each of them, and a file
 * of no lane runs alone, with a minute for each test. No words select all lanes.
 *
 * @throws Error with a sentence about a word that is no lane and leads to no test.
 */
export function selectLanes(words: readonly string[]): readonly Lane[] {
  if (words.length === 0) return LANES;
  const isName = (word: string) => LANES.some(({ name }) => name === word);
  const files = new Set(words.filter((word) => !isName(word)).flatMap(findTestFiles));
  const chosen = LANES.flatMap((lane) => (words.includes(lane.name) ? [lane] : narrow(lane, files)));
  const loners = [...files].filter((file) => !LANES.some((lane) => holds(lane, file)));
  const alone = loners.map((file): Lane => ({ name: file, include: [file], maxWorkers: 1, testTimeoutMs: 60_000 }));
  return [...chosen, ...alone];
}

/** The lane with those of the files that it holds; none when it holds none. */
function narrow({ leftOut: _, ...lane }: Lane, files: ReadonlySet<string>): readonly Lane[] {
  const include = [...files].filter((file) => holds(lane, file));
  if (include.length === 0) return [];
  const what = include.length === 1 ? include[0] : `(${include.length} files)`;
  return [{ ...lane, name: `${lane.name} ${what}`, include }];
}

function holds({ include, exclude = [] }: Lane, file: string): boolean {
  const matches = (pattern: string) => path.matchesGlob(file, pattern);
  return include.some(matches) && !exclude.some(matches);
}

/** The test files that a word leads to, relative to the repository: itself, or all in the folder. */
function findTestFiles(word: string): readonly string[] {
  const place = path.resolve(word);
  const stats = statSync(place, { throwIfNoEntry: false });
  if (stats === undefined) {
    const lanes = LANES.map(({ name }) => name).join(', ');
    throw new Error(`No lane is called "${word}", and nothing is at ${place}. Lanes: ${lanes}.`);
  }
  if (stats.isDirectory()) {
    const found = globSync('**/*.test.ts', { cwd: place, exclude: ['**/node_modules/**'] }).sort();
    if (found.length === 0) throw new Error(`No test is in ${place}. Tests are files named *.test.ts.`);
    return found.map((file) => path.relative(ROOT, path.join(place, file)));
  }
  if (!place.endsWith('.test.ts')) throw new Error(`${place} is no test. Tests are files named *.test.ts.`);
  return [path.relative(ROOT, place)];
}
