import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { AgentConfig } from '@berth/contract/agent';

/** The part of the configuration that the preview image shows. */
export type PreviewText = Pick<AgentConfig, 'name' | 'colors' | 'seo'>;

/** The size in pixels. Source: docs/contract/agent-api.md §3. */
const SIZE = { width: 1_200, height: 630 };
/** The number of characters that fit. */
const MAX_CHARACTERS = { title: 200, description: 400 };

/**
 * Returns the link preview image (Open Graph) of an agent as PNG. The first call takes half a second of CPU, because it
 * loads the libraries.
 */
export async function drawPreview({ name, colors, seo }: PreviewText): Promise<Uint8Array<ArrayBuffer>> {
  const title = drawable(seo.title, MAX_CHARACTERS.title) || name;
  const description = drawable(seo.description, MAX_CHARACTERS.description);
  const [{ default: satori }, { renderAsync }, fonts] = await Promise.all([
    import('satori'),
    import('@resvg/resvg-js'),
    fontsOf(title + description + name),
  ]);
  const isReversed = isRightToLeft(title);
  const direction = { direction: isReversed ? 'rtl' : 'ltr', textAlign: isReversed ? 'right' : 'left' };
  const text = (children: string, style: object) =>
    element({ ...direction, display: 'block', width: '100%', wordBreak: 'break-word', ...style }, children);
  const svg = await satori(
    element(
      {
        ...direction,
        ...SIZE,
        boxSizing: 'border-box',
        padding: '72px',
        display: 'flex',
        flexDirection: 'column',
        justifyContent: 'space-between',
        background: colors.background,
        color: colors.text,
        fontFamily: fonts.map((font) => font.name).join(', '),
      },
      [
        element({ display: 'flex', flexDirection: 'column', width: '100%' }, [
          text(title, { fontSize: 72, lineHeight: 1.2, lineClamp: 3 }),
          ...(description
            ? [text(description, { marginTop: 28, fontSize: 34, lineHeight: 1.4, lineClamp: 3, opacity: 0.8 })]
            : []),
        ]),
        element({ display: 'flex', width: '100%', alignItems: 'center', fontSize: 28 }, [
          element(
            { display: 'flex', width: 56, height: 12, borderRadius: 6, background: colors.primary, margin: '0 20px' },
            '',
          ),
          element({ display: 'flex', opacity: 0.8 }, name),
        ]),
      ],
    ) as Parameters<typeof satori>[0],
    { ...SIZE, fonts },
  );
  // `renderAsync` runs on another thread.
  const image = await renderAsync(svg, { font: { loadSystemFonts: false } });
  return new Uint8Array(image.asPng());
}

/** Returns an element as React creates it from JSX, which satori takes. */
function element(style: object, children: unknown): object {
  return { type: 'div', props: { style, children } };
}

/** Removes emoji and control characters, which the fonts would show as boxes, and shortens the text. */
function drawable(text: string, maxCharacters: number): string {
  const plain = text
    .toWellFormed()
    .replaceAll(/\p{Extended_Pictographic}|\p{Cc}|\u200d|\ufe0f/gu, (letter) => (/[©®™]/.test(letter) ? letter : ' '))
    .replaceAll(/\s+/g, ' ')
    .trim();
  return [...plain].slice(0, maxCharacters).join('');
}

const STRONG = /\p{L}/u;
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** Returns true when the first letter of a text is of a right-to-left script. Source: Unicode Standard Annex 9, P2. */
export function isRightToLeft(text: string): boolean {
  const [letter = ''] = STRONG.exec(text) ?? [];
  return RIGHT_TO_LEFT.test(letter);
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

/** Loads the fonts that cover `text`, in the form that satori takes. Fonts for Chinese, Japanese and Korean have megabytes, so others don't load them. */
export async function fontsOf(text: string) {
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
