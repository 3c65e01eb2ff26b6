import { SEVERITIES } from '@berth/contract';
import type { LogFilter } from './log-filter.ts';

/** With more severities most lines match, and the check does not pay. */
const SEVERITIES_MAX = 4;

/**
 * Returns a check of a line before its JSON is parsed: false only when no entry of that line matches the filter. Most
 * filters name few severities, and parsing JSON is the main cost of a search through lines.
 */
export function createLineGuard(filter: LogFilter | undefined): (line: Buffer) => boolean {
  const ranks = requiredRanks(filter);
  if (!ranks || ranks.length > SEVERITIES_MAX) return () => true;
  // As `encodeLine` writes it. Quotes in a message are escaped; in a payload the text only lets a line through.
  const marks = ranks.map((rank) => Buffer.from(`"severity":"${SEVERITIES[rank]}"`));
  return (line) => marks.some((mark) => line.includes(mark));
}

/** Returns severities of which a matching entry must have one; undefined when the filter does not say. */
function requiredRanks(filter: LogFilter | undefined): readonly number[] | undefined {
  if (filter?.kind === 'severity') return filter.ranks;
  if (filter?.kind !== 'and') return undefined;
  const asked = filter.terms.flatMap((term) => (term.kind === 'severity' ? [term.ranks] : []));
  return asked.toSorted((a, b) => a.length - b.length)[0];
}
