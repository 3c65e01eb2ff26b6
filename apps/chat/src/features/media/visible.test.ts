import { expect, it } from 'vitest';
import { visible } from './visible.ts';

// Fails when a name can turn the text around it: `gpj.exe` would read as `exe.jpg`.
it.each([
  ['a direction', 'a\u202eb', 'a\\u{202e}b'],
  ['an isolate', '\u2066a\u2069', '\\u{2066}a\\u{2069}'],
  ['a space without width', 'a\u200bb', 'a\\u{200b}b'],
  ['a letter that shows nothing', 'a\u3164b', 'a\\u{3164}b'],
  ['a control character', 'a\u0007b', 'a\\u{7}b'],
  ['a line separator', 'a\u2028b', 'a\\u{2028}b'],
  ['a tag beyond the first plane', 'a\u{e0041}b', 'a\\u{e0041}b'],
])('shows %s', (_, text, shown) => {
  expect(visible(text)).toBe(shown);
});

it.each(['plain', 'a\tb\nc', 'ملف', '中文', 'é', '👍'])('leaves %j as it is', (text) => {
  expect(visible(text)).toBe(text);
});
