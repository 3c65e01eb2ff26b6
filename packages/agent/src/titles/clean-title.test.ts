import { expect, test } from 'vitest';
import { cleanTitle } from './clean-title.ts';

test.each([
  ['Tides at Brest', 'Tides at Brest'],
  ['  "Tides at Brest."\n\nI chose this because …', 'Tides at Brest'],
  ['\n**“Gezeiten in Brest”**\n', 'Gezeiten in Brest'],
  ['«المد والجزر في بريست»', 'المد والجزر في بريست'],
  ['# Learn C#', 'Learn C#'],
  ['「潮の満ち引き」。', '潮の満ち引き'],
  ['abc\u202edef\u0007', 'abc def'],
  ['👨‍👩‍👧‍👦'.repeat(60), '👨‍👩‍👧‍👦'.repeat(60)],
  ['👨‍👩‍👧‍👦'.repeat(61), `${'👨‍👩‍👧‍👦'.repeat(59)}…`],
  [`${'word '.repeat(30)}`, `${'word '.repeat(12).slice(0, 59).trimEnd()}…`],
  ['', undefined],
  ['"""\n***', undefined],
])('the title %j', (answer, title) => {
  expect(cleanTitle(answer)).toBe(title);
});
