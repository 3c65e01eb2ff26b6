// @vitest-environment happy-dom
import { createError, type ObjectsPage } from '@berth/contract';
import { createElement } from 'react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type OpenSetup, openView } from '../../../testing/open-view.ts';
import { FileBrowser } from './file-browser.tsx';

type StoredFile = ObjectsPage['objects'][number];

const DOWNLOAD = 'POST /v1/volume/download';
const file = (path: string, size = 5) => ({ path, size, updated: '2026-01-01T00:00:00Z' }) as unknown as StoredFile;

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

async function open(
  { files = [file('a/x.txt'), file('a/y.png')], folders = ['a/sub/'], canWrite = true } = {},
  answers: OpenSetup['answers'] = {},
) {
  const browser = (shown: readonly StoredFile[]) =>
    createElement(FileBrowser, { volume: 'media', folder: 'a/', folders, files: [...shown], canWrite, onEnd() {} });
  const view = await openView(browser(files), {
    answers: { [DOWNLOAD]: ({ body }) => ({ url: `https://storage.test/${body['object']}` }), ...answers },
  });
  return {
    view,
    show: (shown: readonly StoredFile[]) => view.render(browser(shown)),
    select: (name: string) => view.click(view.get('checkbox', `Select ${name}`)),
    act: async (name: string, action: string) => {
      await view.click(view.get('button', `Actions for ${name}`));
      await view.click(view.get('menuitem', action));
    },
  };
}

describe('a selection', () => {
  test('is counted, and taken back one by one or at once', async () => {
    const { view, select } = await open();
    await select('x.txt');
    await select('sub');
    expect(view.get('region', '2 selected')).toBeDefined();
    await select('x.txt');
    expect(view.get('region', '1 selected')).toBeDefined();
    await view.click(view.get('button', 'Clear selection'));
    expect(view.find('region', /selected/)).toBeUndefined();
  });

  // Fails when a file that is no longer listed stays selected: it would be deleted unseen once it is back.
  test('loses what is no longer listed', async () => {
    const { view, show, select } = await open();
    await select('x.txt');
    await select('y.png');
    await show([file('a/y.png')]);
    await view.click(view.get('button', 'Delete'));
    expect(view.get('alertdialog', 'Delete y.png?')).toBeDefined();
  });

  // Fails when the rest of the selection is deleted with the one file whose menu was used.
  test('isn’t what a file’s own menu deletes', async () => {
    const deleted: unknown[] = [];
    const answers = {
      'POST /v1/volume/delete-object': ({ body }: { body: Readonly<Record<string, unknown>> }) => {
        deleted.push(body['path']);
        return {};
      },
    };
    const { view, select, act } = await open({}, answers);
    await select('x.txt');
    await act('y.png', 'Delete');
    await view.click(view.get('button', 'Delete'));
    expect(deleted).toEqual(['a/y.png']);
    expect(view.find('region', /selected/)).toBeUndefined();
  });
});

describe('somebody who may only read', () => {
  // Fails when an action is offered that the server would refuse.
  test('is offered neither renaming nor deleting', async () => {
    const { view, select } = await open({ canWrite: false });
    await select('x.txt');
    expect(view.find('button', 'Delete')).toBeUndefined();
    await view.click(view.get('button', 'Actions for x.txt'));
    expect(view.all('menuitem').map(({ textContent }) => textContent)).toEqual(['Download', 'Copy path']);
  });
});

describe('a download', () => {
  // Fails when the address is opened in the page itself: the console, and what is uploaded, would be gone.
  test('is a link to the storage, in a tab of its own', async () => {
    const { view, act } = await open();
    const made: { target?: string; rel?: string; download?: string }[] = [];
    const create = view.document.createElement.bind(view.document);
    vi.spyOn(view.document, 'createElement').mockImplementation((name) => {
      const element = create(name);
      if (name === 'a') made.push(element as never);
      return element;
    });
    await act('x.txt', 'Download');
    expect(view.sent(DOWNLOAD)).toEqual([{ volume: 'media', object: 'a/x.txt' }]);
    expect(made.at(-1)).toMatchObject({
      href: 'https://storage.test/a/x.txt',
      download: 'x.txt',
      target: '_blank',
      rel: 'noopener',
    });
  });

  test('that is refused says why', async () => {
    const refuse = () => {
      throw createError('not_found', 'No object a/x.txt.');
    };
    const { view, act } = await open({}, { [DOWNLOAD]: refuse });
    await act('x.txt', 'Download');
    expect(view.text()).toContain('No object a/x.txt.');
  });
});

describe('a preview', () => {
  const answerWith = (answer: Response) => {
    const get = vi.fn(async (_url: string, _init: RequestInit) => answer);
    vi.stubGlobal('fetch', get);
    return get;
  };

  // Fails when the whole of a large file is loaded, or the session's cookie goes to the storage.
  test('reads the beginning of a text, without the person’s credentials', async () => {
    const get = answerWith(new Response('hello'));
    const { view } = await open();
    await view.click(view.get('button', 'x.txt'));
    expect(view.get('dialog', 'x.txt').textContent).toContain('hello');
    const [, init] = get.mock.calls[0] ?? [];
    expect(init).toMatchObject({ credentials: 'omit', headers: { Range: expect.stringMatching(/^bytes=0-\d+$/) } });
  });

  // Fails when an empty file, for which storages answer a range with 416, counts as an error.
  test('of an empty file is empty', async () => {
    answerWith(new Response('no such range', { status: 416 }));
    const { view } = await open();
    await view.click(view.get('button', 'x.txt'));
    expect(view.find('alert')).toBeUndefined();
    expect(view.text()).not.toContain('no such range');
  });

  test('that the storage refuses shows its reason', async () => {
    answerWith(new Response('The link has expired.', { status: 403 }));
    const { view } = await open();
    await view.click(view.get('button', 'x.txt'));
    expect(view.get('alert').textContent).toContain('The link has expired.');
  });

  // Fails when the bytes of an image stay in memory after its preview was closed.
  test('gives an image back when it is closed', async () => {
    answerWith(new Response('png'));
    vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:1');
    const revoke = vi.spyOn(URL, 'revokeObjectURL').mockReturnValue();
    const { view } = await open();
    await view.click(view.get('button', 'y.png'));
    expect(view.get('img', 'y.png').getAttribute('src')).toBe('blob:1');
    expect(revoke).not.toHaveBeenCalled();
    await view.click(view.get('button', 'Close'));
    expect(revoke).toHaveBeenCalledExactlyOnceWith('blob:1');
  });

  // Fails when a kind of file that can't be shown is loaded all the same.
  test('of a file that can’t be shown loads nothing', async () => {
    const get = answerWith(new Response('x'));
    const { view } = await open({ files: [file('a/z.bin')] });
    await view.click(view.get('button', 'z.bin'));
    expect(get).not.toHaveBeenCalled();
    expect(view.find('status', 'Loading')).toBeUndefined();
  });
});
