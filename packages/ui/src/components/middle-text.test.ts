// @vitest-environment happy-dom
import { createElement } from 'react';
import { describe, expect, test } from 'vitest';
import { mountPart } from '../testing/mount-part.ts';
import { MiddleText } from './middle-text.tsx';
import { splitTail } from './split-tail.ts';

describe('a name truncated in the middle', () => {
  // Fails when the tail is cut by code unit, inside Arabic letters, or without the extension.
  test.each([
    ['short.txt', ''],
    ['a-name-that-is-long-enough.tar', 'ough.tar'],
    ['a-name-that-is-long-enough.markdown', '.markdown'],
    ['a-name-that-is-long 👩‍👩‍👧‍👦🇸🇦e\u0301xyz12', '👩‍👩‍👧‍👦🇸🇦e\u0301xyz12'],
    ['تقرير المد والجزر.png', '.png'],
    ['تقرير المد والجزر', ''],
    ['تقرير المد والجزر final.png', 'final.png'],
    ['report تقرير المد والجزر 2026.pdf', '.pdf'],
    ['تقرير a-very-long-name-in-latin-letters.png', '.png'],
  ])('%s', (text, tail) => {
    expect(splitTail(text)).toEqual({ head: text.slice(0, text.length - tail.length), tail });
  });

  // Fails when screen readers or a selection get the name twice, or in two parts.
  test('is there once, and whole', async () => {
    const name = 'tide-board-for-all-of-the-coast.localhost';
    await mountPart(createElement(MiddleText, { text: name }));
    const parts = [...document.body.querySelectorAll('[aria-hidden]')];
    expect(parts.map((part) => [part.textContent, part.classList.contains('select-none')])).toEqual([[name, true]]);
    for (const part of parts) part.remove();
    expect(document.body.textContent).toBe(name);
  });
});
