import { readFileSync } from 'node:fs';
import path from 'node:path';
import { contrastOf, parseColor } from '@berth/kit';
import { describe, expect, it } from 'vitest';

const css = readFileSync(path.join(import.meta.dirname, 'theme.css'), 'utf8');

/** The tokens as the style sheet writes them: `[light, dark]`. */
const tokens = new Map(
  [...css.matchAll(/--([a-z-]+): (?:light-dark\((#\w{6}), (#\w{6})\)|(#\w{6}));/g)].map(
    ([, name, light, dark, both]) => [name, [light ?? both, dark ?? both]] as const,
  ),
);
const SURFACES = ['sunken', 'ground', 'raised', 'hover'];
const TEXT = 4.5;
const OUTLINE = 3;

/** What is shown on what, and the contrast that it needs. Source: WCAG 2.2, 1.4.3 and 1.4.11. */
const PAIRS: readonly (readonly [front: string, back: string, least: number])[] = [
  ...SURFACES.flatMap((surface) => ['ink', 'ink-soft', 'accent'].map((text) => [text, surface, TEXT] as const)),
  ...['good', 'info', 'warn', 'bad'].flatMap((tone) => [
    [tone, `${tone}-soft`, TEXT] as const,
    ...['sunken', 'ground', 'raised'].map((surface) => [tone, surface, TEXT] as const),
    ['ink', `${tone}-soft`, TEXT] as const,
    ['ink-soft', `${tone}-soft`, TEXT] as const,
  ]),
  ['ink', 'active', TEXT],
  ['ink', 'accent-soft', TEXT],
  ['ink-soft', 'accent-soft', TEXT],
  ['accent', 'accent-soft', TEXT],
  ...['accent-ground', 'accent-hover', 'accent-active', 'bad-ground', 'bad-hover', 'bad-active'].map(
    (ground) => ['on-accent', ground, TEXT] as const,
  ),
  ...['sunken', 'ground', 'raised'].map((surface) => ['line-strong', surface, OUTLINE] as const),
  ...['sunken', 'ground', 'raised'].map((surface) => ['accent', surface, OUTLINE] as const),
];

describe.each([
  ['light', 0],
  ['dark', 1],
] as const)('the %s theme', (_name, index) => {
  it.each(PAIRS)('%s on %s has a contrast of %d or more', (front, back, least) => {
    const [text, ground] = [front, back].map((name) => parseColor(tokens.get(name)?.[index] ?? ''));
    if (!text || !ground) throw new Error(`theme.css has no --${front} or no --${back}`);
    expect(contrastOf(text, ground)).toBeGreaterThanOrEqual(least);
  });
});
