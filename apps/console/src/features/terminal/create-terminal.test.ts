// @vitest-environment happy-dom
import { expect, test, vi } from 'vitest';
import { allowStyles } from './allow-styles.ts';
import { handleKey } from './create-terminal.ts';

const press = (key: string, held: KeyboardEventInit, selection = '') => {
  const copied: string[] = [];
  vi.stubGlobal('navigator', { clipboard: { writeText: async (text: string) => copied.push(text) } });
  const event = new KeyboardEvent('keydown', { key, cancelable: true, ...held });
  let hasLeft = false;
  const isForProgram = handleKey(
    event,
    { hasSelection: () => selection !== '', getSelection: () => selection, clearSelection: () => {} },
    () => {
      hasLeft = true;
    },
  );
  vi.unstubAllGlobals();
  return { isForProgram, copied, hasLeft, isPrevented: event.defaultPrevented };
};
const quiet = { copied: [], hasLeft: false, isPrevented: false };

test.each([
  ['c', { ctrlKey: true }, '', { ...quiet, isForProgram: true }],
  ['c', { ctrlKey: true }, 'text', { ...quiet, isForProgram: false, copied: ['text'], isPrevented: true }],
  // Chromium opens its developer tools otherwise.
  ['C', { ctrlKey: true, shiftKey: true }, '', { ...quiet, isForProgram: false, isPrevented: true }],
  [
    'C',
    { ctrlKey: true, shiftKey: true },
    'text',
    { ...quiet, isForProgram: false, copied: ['text'], isPrevented: true },
  ],
  // The browser pastes, unless the key is prevented.
  ['v', { ctrlKey: true }, '', { ...quiet, isForProgram: false }],
  ['F6', { ctrlKey: true }, '', { ...quiet, isForProgram: false, hasLeft: true }],
  ['F6', {}, '', { ...quiet, isForProgram: true }],
  ['Tab', {}, '', { ...quiet, isForProgram: true }],
])('%s with %o and the selection “%s”', (key, held, selection, expected) => {
  expect(press(key, held, selection)).toEqual(expected);
});

// Fails when xterm.js's styles reach the document in a way that the page's policy refuses.
test('styles become constructed sheets, and go with the terminal', () => {
  const close = allowStyles(document);
  const style = document.createElement('style');
  style.textContent = '.a { color: red }';
  const element = document.createElement('span');
  element.setAttribute('title', 'x');
  expect([style.tagName, style.innerHTML, element.title]).toEqual(['SPAN', '', 'x']);
  expect(document.adoptedStyleSheets.map(({ cssRules }) => cssRules.length)).toEqual([1]);
  close();
  expect(document.createElement('style').tagName).toBe('STYLE');
  expect(document.adoptedStyleSheets).toEqual([]);
});
