/** A color by its red, green and blue, 0 to 255. */
export type Rgb = readonly [red: number, green: number, blue: number];

/** Parses `#rgb` or `#rrggbb`; undefined for anything else. */
export function parseColor(text: string): Rgb | undefined {
  const digits = /^#(?:([0-9a-f]{3})|([0-9a-f]{6}))$/i.exec(text.trim());
  const hex = digits?.[2] ?? digits?.[1]?.replaceAll(/./g, '$&$&');
  if (hex === undefined) return undefined;
  const value = Number.parseInt(hex, 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

/** Formats a color as `#rrggbb`. */
export function formatColor(color: Rgb): string {
  return `#${color.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

/** Returns the contrast of two colors, 1 to 21. Source: WCAG 2.2, "contrast ratio". */
export function contrastOf(one: Rgb, other: Rgb): number {
  const [darker = 0, lighter = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** Mixes `ratio` (0 to 1) of `other` into `color`. */
export function mixColors(color: Rgb, other: Rgb, ratio: number): Rgb {
  return color.map((part, index) => Math.round(part + ((other[index] ?? 0) - part) * ratio)) as unknown as Rgb;
}

/** Source: WCAG 2.2, "relative luminance". */
function luminanceOf(color: Rgb): number {
  const [red = 0, green = 0, blue = 0] = color.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
