import { describe, expect, it } from 'vitest';
import { DEFAULT_COLORS } from '../site-options.ts';
import { readInk } from '../testing/read-ink.ts';
import { drawPreview, fontsOf, isRightToLeft } from './draw-preview.ts';

const draw = (title: string, description = '') =>
  drawPreview({ name: 'test', colors: DEFAULT_COLORS, seo: { title, description, indexed: true } });

describe('drawPreview', () => {
  it('draws 1200×630, with the title at the side where its language begins', async () => {
    const latin = readInk(await draw('Hello'));
    expect([latin.width, latin.height]).toEqual([1_200, 630]);
    const title = { toY: 300 };
    expect(latin.count({ ...title, toX: 600 })).toBeGreaterThan(1_000);
    expect(latin.count({ ...title, fromX: 600 })).toBe(0);
    const arabic = readInk(await draw('مرحبا'));
    expect(arabic.count({ ...title, fromX: 600 })).toBeGreaterThan(1_000);
    expect(arabic.count({ ...title, toX: 600 })).toBe(0);
  });

  // Letters without a font are all drawn as the same box.
  it.each(['aé', 'ğő', 'жд', 'λδ', 'ạế', 'עב', 'بم', 'कह', '你界', '駅で', '안하'])(
    'has the letters of %s',
    async (letters) => {
      const [one, other] = await Promise.all([...letters].map((letter) => draw(letter)));
      expect(Buffer.from(one as Uint8Array).equals(Buffer.from(other as Uint8Array))).toBe(false);
      expect(readInk(one as Uint8Array).count({ toY: 300 })).toBeGreaterThan(200);
    },
  );

  it('keeps within the picture, whatever it is given', async () => {
    const texts = ['x'.repeat(5_000), '<script>&"\' </div>', '\0\ud800', '👩‍👩‍👧 family', '‮reversed', ' '];
    for (const text of texts) {
      const ink = readInk(await draw(text, text));
      expect(ink.count({ fromX: 1_170 }), text.slice(0, 20)).toBe(0);
    }
  });
});

describe('fontsOf', () => {
  it('loads megabytes only for those who need them', async () => {
    const names = async (text: string) => (await fontsOf(text)).map((font) => font.name.replace('noto-sans-', ''));
    expect(await names('Hello')).toEqual(['latin']);
    expect(await names('漢字とカナ')).toEqual(['latin', 'jp-japanese', 'sc-chinese-simplified']);
    expect(await names('汉字')).toEqual(['latin', 'sc-chinese-simplified', 'jp-japanese']);
    expect(await names('한국어')).toEqual(['latin', 'kr-korean']);
  });
});

it.each([
  ['Hello مرحبا', false],
  ['123 مرحبا Hello', true],
  ['שלום', true],
  ['', false],
  ['123', false],
])('isRightToLeft of %j: %s', (text, expected) => {
  expect(isRightToLeft(text)).toBe(expected);
});
