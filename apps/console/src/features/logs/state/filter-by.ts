/** `filter` narrowed to entries whose field is `value`, or is not. */
export function filterBy(filter: string, field: string, value: unknown, isWanted = true): string {
  const term = `${isWanted ? '' : 'NOT '}${field}=${writeValue(value)}`;
  if (filter.trim() === '') return term;
  // A comment at the end would swallow what comes after it.
  return `${filter.trimEnd()}${/--[^\n]*$/.test(filter.trimEnd()) ? '\n' : ' '}AND ${term}`;
}

/** A path of an entry as the filter language names it: `jsonPayload."a b".c`. */
export function writePath(segments: readonly string[]): string {
  return segments
    .map((segment) => (/^[\w/-]+$/.test(segment) && !segment.includes('--') ? segment : JSON.stringify(segment)))
    .join('.');
}

function writeValue(value: unknown): string {
  if (value === null) return 'NULL_VALUE';
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : JSON.stringify(String(value));
}

/** The filter that all entries of a request fit, whatever else was looked for. */
export function filterByTrace(trace: string): string {
  return `trace=${JSON.stringify(trace)}`;
}
