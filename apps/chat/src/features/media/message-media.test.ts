// @vitest-environment happy-dom
import { createElement } from 'react';
import { jsx } from 'react/jsx-runtime';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { openChatScreen } from '../../testing/open-chat-screen.ts';
import { t } from '../../testing/open-screen.ts';
import { MessageImage } from './message-image.tsx';
import { MessageLink } from './message-link.tsx';

/** Object URLs that are in use. */
let used: string[] = [];

beforeEach(() => {
  used = [];
  let count = 0;
  vi.spyOn(URL, 'createObjectURL').mockImplementation(() => {
    used.push(`blob:${++count}`);
    return `blob:${count}`;
  });
  vi.spyOn(URL, 'revokeObjectURL').mockImplementation((url) => {
    used = used.filter((one) => one !== url);
  });
  return () => void vi.restoreAllMocks();
});

async function openImage(src: string, readFile = vi.fn(async (_url: string) => new Blob(['picture']))) {
  const screen = await openChatScreen(createElement(MessageImage, { src, alt: 'Chart' }), { readFile });
  const show = (next: string) => screen.showInside(createElement(MessageImage, { src: next, alt: 'Chart' }));
  return { ...screen, readFile, showImage: show };
}

async function openLink(href: string, readFile = vi.fn(async (_url: string) => new Blob(['file']))) {
  const screen = await openChatScreen(jsx(MessageLink, { href, children: 'the report' }), { readFile });
  /** Presses the link; what the browser would follow. */
  const follow = async () => {
    const link = screen.get('link');
    const { defaultPrevented } = await screen.fire(link, 'click', { button: 0 });
    return defaultPrevented ? undefined : link.getAttribute('href');
  };
  return { ...screen, follow, readFile };
}

describe('a picture', () => {
  it('of the workspace is read once with the token, and released on unmount', async () => {
    const { get, leave, readFile } = await openImage('charts/a.png');
    expect(readFile.mock.calls).toEqual([['/files/charts/a.png']]);
    expect([get('img').getAttribute('src'), get('img').getAttribute('alt')]).toEqual(['blob:1', 'Chart']);
    await leave();
    expect(used).toEqual([]);
  });

  it('releases the one that it replaces', async () => {
    const { get, readFile, showImage } = await openImage('a.png');
    await showImage('b.png');
    expect([readFile.mock.calls.length, get('img').getAttribute('src'), used]).toEqual([2, 'blob:2', ['blob:2']]);
  });

  // Fails when a slow file is shown in place of a later one.
  it('that arrives late does not replace the next one', async () => {
    const files = [Promise.withResolvers<Blob>(), Promise.withResolvers<Blob>()];
    const waiting = [...files];
    const { get, run, showImage } = await openImage(
      'slow.png',
      vi.fn(async () => (await waiting.shift()?.promise) ?? new Blob()),
    );
    await showImage('fast.png');
    await run(() => files[1]?.resolve(new Blob(['fast'])));
    await run(() => files[0]?.resolve(new Blob(['slow'])));
    expect(get('img').getAttribute('src')).toBe('blob:1');
    expect(used).toEqual(['blob:1']);
  });

  it('that can’t be read shows its name', async () => {
    const { has, text } = await openImage(
      'a.png',
      vi.fn(() => Promise.reject(new Error('gone'))),
    );
    expect([has('img'), text()]).toEqual([false, t('part.gone', { name: 'Chart' })]);
  });

  // Fails when anything else is loaded: an address can carry the chat away, or act in the person's name.
  it.each([
    ['another server', 'https://evil.example.com/x.png?q=chat', 'https://evil.example.com/x.png?q=chat'],
    ['another route of this agent', '/connectors/crm/fetch/delete', '/connectors/crm/fetch/delete'],
    ['a path that leads out of the files', 'a/../../connectors/x', '/connectors/x'],
  ])('of %s is a link', async (_name, src, href) => {
    const { get, has, readFile } = await openImage(src);
    expect([has('img'), get('link').getAttribute('href'), readFile.mock.calls]).toEqual([false, href, []]);
  });

  it.each(['javascript:alert(1)', 'data:text/html,x'])('of %s is its name alone', async (src) => {
    const { has, readFile, text } = await openImage(src);
    expect([has('img'), has('link'), text(), readFile.mock.calls]).toEqual([false, false, 'Chart', []]);
  });

  it('in the message itself is shown as it is', async () => {
    const { get, readFile } = await openImage('data:image/png;base64,AA');
    expect([get('img').getAttribute('src'), readFile.mock.calls]).toEqual(['data:image/png;base64,AA', []]);
  });
});

describe('a link', () => {
  it('to a file downloads it with the token, under its name', async () => {
    const clicked: unknown[] = [];
    const { follow, readFile } = await openLink('reports/a%20b.pdf');
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(this: HTMLAnchorElement) {
      clicked.push([this.href, this.download]);
    });
    expect(await follow()).toBeUndefined();
    expect(readFile.mock.calls).toEqual([['/files/reports/a%20b.pdf']]);
    expect(clicked).toEqual([['blob:1', 'a b.pdf']]);
  });

  it('to a file that is not there says so', async () => {
    const { follow, has, text } = await openLink(
      'a.pdf',
      vi.fn(() => Promise.reject(new Error('gone'))),
    );
    await follow();
    expect([has('link'), text()]).toEqual([false, t('part.gone', { name: 'a.pdf' })]);
  });

  it('to another server opens a tab without opener or referrer', async () => {
    const { follow, get, readFile } = await openLink('https://example.com/a');
    expect(await follow()).toBe('https://example.com/a');
    expect([get('link').getAttribute('target'), get('link').getAttribute('rel')]).toEqual([
      ...['_blank', 'noopener noreferrer'],
    ]);
    expect(readFile).not.toHaveBeenCalled();
  });

  it.each(['javascript:alert(1)', 'data:image/png;base64,AA'])('to %s is its text', async (href) => {
    const { has, text } = await openLink(href);
    expect([has('link'), text()]).toEqual([false, 'the report']);
  });
});
