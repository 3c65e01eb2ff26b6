// @vitest-environment happy-dom
import { createElement } from 'react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { mountPart } from '../testing/mount-part.ts';
import { CopyCode } from './copy-code.tsx';

const writeText = vi.fn(async (_text: string) => {});
beforeEach(() => {
  writeText.mockClear();
  vi.stubGlobal('navigator', { ...navigator, clipboard: { writeText } });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

describe('code with a copy button', () => {
  // Fails when what is copied is what is shown, with its layout, or another text.
  test('is copied as it is', async () => {
    const code = 'berth_key_  two\nlines ';
    const view = await mountPart(createElement(CopyCode, { code }));
    await view.click(view.get('button', 'Copy'));
    expect(writeText.mock.calls).toEqual([[code]]);
  });

  // Fails when the button says “Copied” before, or for good.
  test('says that it was copied, until the focus leaves', async () => {
    const view = await mountPart(createElement(CopyCode, { code: 'x' }));
    expect(view.find('button', 'Copied')).toBeUndefined();
    await view.click(view.get('button', 'Copy'));
    const button = view.get('button', 'Copied');
    await view.focus(button);
    await view.fire('focusout', {}, button);
    expect(view.find('button', 'Copied')).toBeUndefined();
  });
});
