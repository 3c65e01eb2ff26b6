import { SEVERITIES } from '@berth/contract';
import type { LogFilter } from './log-filter.ts';

/** With more severities most lines pass, and looking for them is in vain. */
const SEVERITIES_MAX = 4;

/**
 * A test of a segment's line, before it is read as JSON: false only where no entry with that line fits the filter. Most
 * filters ask for few severities, and reading JSON is what a search through lines costs.
 */
export function createLineGuard(filter: LogFilter | undefined): (line: Buffer) => boolean {
  const ranks = requiredRanks(filter);
  if (!ranks || ranks.length > SEVERITIES_MAX) return () => true;
  // As `encodeLine` writes it. In a text the quotes would be escaped; in a payload it only lets a line through.
  const marks = ranks.map((rank) => Buffer.from(`"severity":"${SEVERITIES[rank]}"`));
  return (line) => marks.some((mark) => line.includes(mark));
}

/** The severities of which an entry must have one; undefined when the filter does not say. */
function requiredRanks(filter: LogFilter | undefined): readonly number[] | undefined {
  if (filter?.kind === 'severity') return filter.ranks;
  if (filter?.kind !== 'and') return undefined;
  const asked = filter.terms.flatMap((term) => (term.kind === 'severity' ? [term.ranks] : []));
  return asked.toSorted((a, b) => a.length - b.length)[0];
}
