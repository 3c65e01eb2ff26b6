// @vitest-environment happy-dom
import type { FileEntry } from '@berth/contract/agent';
import { createElement } from 'react';
import { describe, expect, it, vi } from 'vitest';
import { openChatScreen } from '../../testing/open-chat-screen.ts';
import { t } from '../../testing/open-screen.ts';
import { FileContent } from './file-content.tsx';

const entry = (name: string, kind: FileEntry['kind'], size = 10): FileEntry => ({
  ...{ name, path: `docs/${name}`, type: 'file', kind, size, modified: '2026-01-01T00:00:00.000Z' },
});

async function open(file: FileEntry, read: () => Promise<Blob> = async () => new Blob(['text'])) {
  const readFile = vi.fn<(url: string) => Promise<Blob>>(read);
  const screen = await openChatScreen(createElement(FileContent, { entry: file }), { readFile });
  return { ...screen, urls: () => readFile.mock.calls.map(([url]) => url) };
}

describe('a preview', () => {
  it('of Markdown is formatted, and runs nothing', async () => {
    const { get, has, text, urls } = await open(
      entry('a.md', 'text'),
      async () => new Blob(['# Soup\n\n<img src=x onerror=y>']),
    );
    expect(urls()).toEqual(['/files/docs/a.md']);
    expect(get('heading').textContent).toBe('Soup');
    expect([has('img'), text().includes('<img src=x onerror=y>')]).toEqual([false, true]);
  });

  it('of a table has its rows, which a heading sorts', async () => {
    const csv = 'name,price\nsoup,10\nbread,9\n';
    const { all, press, text } = await open(entry('a.csv', 'spreadsheet'), async () => new Blob([csv]));
    expect(text()).toContain('soup');
    const names = () =>
      all('cell')
        .map(({ textContent }) => textContent)
        .filter((_, index) => index % 2 === 0);
    expect(names()).toEqual(['soup', 'bread']);
    await press('price');
    // Numbers are compared as numbers: 9 comes before 10.
    expect(names()).toEqual(['bread', 'soup']);
    expect(all('columnheader').map((one) => one.getAttribute('aria-sort'))).toEqual([null, 'ascending']);
  });

  it('of a presentation asks for its slides, and says that they are made', async () => {
    const slides = Promise.withResolvers<Blob>();
    const { all, run, text, urls } = await open(entry('a.pptx', 'presentation'), () => slides.promise);
    expect([urls(), text()]).toEqual([['/files/docs/a.pptx?as=slides'], t('files.converting')]);
    const answer = { slides: ['data:image/png;base64,AA', 'https://evil.example.com/a.png'] };
    await run(() => slides.resolve(new Blob([JSON.stringify(answer)])));
    expect(all('img').map((one) => one.getAttribute('src'))).toEqual(['data:image/png;base64,AA']);
  });

  it('of an office file asks for its pages', async () => {
    const { text, urls } = await open(entry('a.docx', 'document'), () => new Promise(() => {}));
    expect([urls(), text()]).toEqual([['/files/docs/a.docx?as=pdf'], t('files.converting')]);
  });

  // Fails when a file that is too large is read before anybody looks at its size.
  it.each([
    ['a.zip', 'archive', 10],
    ['a.log', 'text', 5 * 1024 ** 2],
    ['a.pdf', 'pdf', 1024 ** 3],
  ] as const)('of %s is none, and nothing is read', async (name, kind, size) => {
    const { text, urls } = await open(entry(name, kind, size));
    expect(urls()).toEqual([]);
    expect(text()).toContain(t('files.noPreview'));
  });

  it.each([
    ['a.png', 'image'],
    ['a.mp3', 'audio'],
    ['a.docx', 'document'],
    ['a.pptx', 'presentation'],
    ['a.ts', 'code'],
  ] as const)('of %s says why it could not be made', async (name, kind) => {
    const { get } = await open(entry(name, kind), () => Promise.reject(new Error('No sandbox for office files.')));
    expect(get('alert').textContent).toBe('No sandbox for office files.');
  });

  it('says when slides could not be read', async () => {
    const { get } = await open(entry('a.pptx', 'presentation'), async () => new Blob(['{}']));
    expect(get('alert').textContent).toBe('The slides could not be read.');
  });
});
