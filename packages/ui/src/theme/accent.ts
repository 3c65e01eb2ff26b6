import { contrastOf, formatColor, mixColors, parseColor, type Rgb } from '@berth/kit';

const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];
/** Contrast of text. Source: WCAG 2.2, 1.4.3. */
const TEXT = 4.5;
const STEP = 0.02;

/** Surfaces of theme.css on which the accent is hardest to read: the lowest contrast of each theme. */
const GROUNDS = { light: [0xee, 0xf0, 0xf3], dark: [0x21, 0x25, 0x2c] } as const satisfies Record<string, Rgb>;

/**
 * Returns the accent tokens of a color of one's own as CSS values, by their custom property. A color that is too light or too dark to be read is moved
 * towards black or white until text in it, and white text on it, have a contrast of 4.5:1 in both themes. Undefined when `color` isn't `#rgb` or `#rrggbb`.
 */
export function accentTokens(color: string): Readonly<Record<`--${string}`, string>> | undefined {
  const base = parseColor(color);
  if (!base) return undefined;
  const softs = { light: mixColors(base, WHITE, 0.9), dark: mixColors(base, [0x10, 0x12, 0x16], 0.8) };
  const light = readable(base, BLACK, [GROUNDS.light, softs.light]);
  const dark = readable(base, WHITE, [GROUNDS.dark, softs.dark]);
  const ground = readable(base, BLACK, [WHITE]);
  const pair = (one: Rgb, other: Rgb) => `light-dark(${formatColor(one)}, ${formatColor(other)})`;
  return {
    '--accent': pair(light, dark),
    '--accent-ground': formatColor(ground),
    '--accent-hover': formatColor(mixColors(ground, BLACK, 0.14)),
    '--accent-active': formatColor(mixColors(ground, BLACK, 0.28)),
    '--accent-soft': pair(softs.light, softs.dark),
  };
}

/** Makes `color` the accent of the page, see {@link accentTokens}; the page keeps its own when `color` isn't one. */
export function applyAccent(color: string, style: Pick<CSSStyleDeclaration, 'setProperty'>): void {
  for (const [name, value] of Object.entries(accentTokens(color) ?? {})) style.setProperty(name, value);
}

/** Moves `color` towards `goal` until it can be read on all of `grounds`. */
function readable(color: Rgb, goal: Rgb, grounds: readonly Rgb[]): Rgb {
  let ratio = 0;
  let moved = color;
  while (ratio < 1 && grounds.some((ground) => contrastOf(moved, ground) < TEXT)) {
    ratio = Math.min(1, ratio + STEP);
    moved = mixColors(color, goal, ratio);
  }
  return moved;
}
