import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** A font in the form that satori takes. */
export interface PreviewFont {
  readonly name: string;
  readonly data: Buffer;
  readonly weight: 600;
  readonly style: 'normal';
}

const LATIN = 'noto-sans-latin';
const CHINESE = 'noto-sans-sc-chinese-simplified';
const JAPANESE = 'noto-sans-jp-japanese';
const KOREAN = 'noto-sans-kr-korean';

/** The fonts of `assets/fonts` that each script needs. */
const SCRIPTS: readonly (readonly [letters: RegExp, fonts: readonly string[]])[] = [
  [/[\u0100-\u024f\u1e00-\u1eff\u20a0-\u20cf]/, ['noto-sans-latin-ext', 'noto-sans-vietnamese']],
  [/\p{Script=Cyrillic}/u, ['noto-sans-cyrillic']],
  [/\p{Script=Greek}/u, ['noto-sans-greek']],
  [/\p{Script=Devanagari}/u, ['noto-sans-devanagari']],
  [/\p{Script=Arabic}/u, ['noto-sans-arabic-arabic']],
  [/\p{Script=Hebrew}/u, ['noto-sans-hebrew-hebrew']],
];

/** Loads the fonts that cover `text`. Fonts for Chinese, Japanese and Korean have megabytes, so others don't load them. */
export async function fontsOf(text: string): Promise<PreviewFont[]> {
  const names = [
    LATIN,
    ...SCRIPTS.flatMap(([letters, fonts]) => (letters.test(text) ? fonts : [])),
    ...eastAsian(text),
  ];
  return Promise.all(
    names.map(async (name) => ({ name, data: await readFile(pathOf(name)), weight: 600, style: 'normal' }) as const),
  );
}

/**
 * Returns the fonts for Han characters, whose shapes differ by language. The language that other characters indicate is
 * first.
 */
function eastAsian(text: string): readonly string[] {
  const [hasKana, hasHangul] = [
    /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text),
    /\p{Script=Hangul}/u.test(text),
  ];
  // Includes full-width punctuation, which no other font has.
  const hasHan = /[\p{Script=Han}\u3000-\u303f\uff00-\uffef]/u.test(text);
  if (!hasKana && !hasHangul && !hasHan) return [];
  const korean = hasHangul ? [KOREAN] : [];
  if (hasKana) return [JAPANESE, CHINESE, ...korean];
  return hasHan ? [...korean, CHINESE, JAPANESE] : korean;
}

function pathOf(name: string): string {
  return fileURLToPath(import.meta.resolve(`@berth/agent/assets/fonts/${name}-600-normal.woff`));
}
