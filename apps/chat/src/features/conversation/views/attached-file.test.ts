// @vitest-environment happy-dom
import { createElement } from 'react';
import { expect, it, vi } from 'vitest';
import { openChatScreen } from '../../../testing/open-chat-screen.ts';
import { AttachedFile } from './attached-file.tsx';

const attached = (fields: object = {}) => ({
  ...{ name: 'tides.md', path: 'attachments/dG8QkEjt-tides.md', type: 'text/markdown', size: 9 },
  ...{ url: '/files/attachments/dG8QkEjt-tides.md', ...fields },
});

// Fails when a press downloads the file, or shows the characters before its name.
it('opens a preview of an attachment under its own name', async () => {
  const readFile = vi.fn(async () => new Blob(['High **tide**']));
  const { press, run, text } = await openChatScreen(createElement(AttachedFile, { attachment: attached() }), {
    readFile,
  });
  expect(readFile).not.toHaveBeenCalled();
  await press('tides.md', 'link');
  await vi.waitFor(async () => {
    await run(() => {});
    expect(text()).toContain('High tide');
  }, 20_000);
  expect(text()).not.toContain('dG8QkEjt');
});

it('shows a thumbnail of an image that is not too large', async () => {
  const readFile = vi.fn(async () => new Blob(['x']));
  const image = { name: 'a.png', type: 'image/png' };
  const { showInside } = await openChatScreen(createElement(AttachedFile, { attachment: attached(image) }), {
    readFile,
  });
  expect(document.querySelectorAll('img[loading=lazy]')).toHaveLength(1);
  await showInside(createElement(AttachedFile, { key: 2, attachment: attached({ ...image, size: 5 * 1024 ** 2 }) }));
  expect(document.querySelectorAll('img')).toHaveLength(0);
});
