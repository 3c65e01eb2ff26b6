/** Returns `filter` narrowed to entries whose field equals `value`, or with `isWanted: false` doesn't. */
export function filterBy(filter: string, field: string, value: unknown, isWanted = true): string {
  const term = `${isWanted ? '' : 'NOT '}${field}=${writeValue(value)}`;
  if (filter.trim() === '') return term;
  // A newline ends a trailing comment, which would otherwise include the new term.
  return `${filter.trimEnd()}${/--[^\n]*$/.test(filter.trimEnd()) ? '\n' : ' '}AND ${term}`;
}

/** Returns the path of a field in the filter language, e.g. `jsonPayload."a b".c`. */
export function writePath(segments: readonly string[]): string {
  return segments
    .map((segment) => (/^[\w/-]+$/.test(segment) && !segment.includes('--') ? segment : JSON.stringify(segment)))
    .join('.');
}

function writeValue(value: unknown): string {
  if (value === null) return 'NULL_VALUE';
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : JSON.stringify(String(value));
}

/** Returns the filter that matches all entries of a request, without other conditions. */
export function filterByTrace(trace: string): string {
  return `trace=${JSON.stringify(trace)}`;
}
