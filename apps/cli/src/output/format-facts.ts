import { cleanText } from './clean-text.ts';
import type { Style } from './style.ts';

/** Formats names and values, one pair a line, with the values in one column. */
export function formatFacts(facts: readonly (readonly [name: string, value: string])[], style: Style): string {
  const width = Math.max(...facts.map(([name]) => name.length));
  return facts.map(([name, value]) => `${style.dim(name.padEnd(width))}  ${cleanText(value)}`).join('\n');
}
