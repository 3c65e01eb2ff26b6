// @vitest-environment happy-dom
import { createElement } from 'react';
import { jsx } from 'react/jsx-runtime';
import { describe, expect, test } from 'vitest';
import { openView, say } from '../../../../testing/open-view.ts';
import type { CutOffUpload } from '../state/upload-journal.ts';
import type { WaitingFile } from '../state/upload-queue.ts';
import { DropZone } from './drop-zone.tsx';
import { UploadButtons } from './upload-buttons.tsx';

async function open() {
  const added: { readonly files: AsyncIterable<WaitingFile>; readonly origin: CutOffUpload }[] = [];
  const uploads = {
    add: (files: AsyncIterable<WaitingFile>, origin: CutOffUpload) => void added.push({ files, origin }),
  };
  const children = createElement(UploadButtons, { volume: 'media', folder: 'a/' });
  const view = await openView(jsx(DropZone, { volume: 'media', folder: 'a/', children }), { uploads });
  return {
    view,
    added,
    zone: view.get('region', 'media'),
    targets: async () => {
      const objects: string[] = [];
      for (const { files } of added) for await (const { object } of files) objects.push(object);
      return objects;
    },
  };
}

const item = (entry: object | null, file: File | null = null) => ({
  webkitGetAsEntry: () => entry,
  getAsFile: () => file,
});
const fileEntry = (name: string) => ({
  isFile: true,
  isDirectory: false,
  name,
  file: (done: (file: File) => void) => done(new File(['x'], name)),
});

describe('dropped files', () => {
  // Fails when the browser opens the file itself: the console would be gone.
  test('are uploaded into the folder, in place of what the browser does', async () => {
    const { view, zone, added, targets } = await open();
    const dataTransfer = { types: ['Files'], items: [item(fileEntry('x.txt')), item(null, new File(['y'], 'y.txt'))] };
    expect((await view.fire('dragover', { dataTransfer }, zone)).defaultPrevented).toBe(true);
    expect(view.text()).toContain(say('files.drop'));
    expect((await view.fire('drop', { dataTransfer }, zone)).defaultPrevented).toBe(true);
    expect(view.text()).not.toContain(say('files.drop'));
    expect(added.map(({ origin }) => origin)).toEqual([{ volume: 'media', folder: 'a/', names: ['x.txt', 'y.txt'] }]);
    expect(await targets()).toEqual(['a/x.txt', 'a/y.txt']);
  });

  // Fails when a text that is dragged within the page counts as files.
  test('are told from dragged text', async () => {
    const { view, zone, added } = await open();
    const dataTransfer = { types: ['text/plain'], items: [] };
    expect((await view.fire('dragover', { dataTransfer }, zone)).defaultPrevented).toBe(false);
    await view.fire('drop', { dataTransfer }, zone);
    expect([view.text().includes(say('files.drop')), added]).toEqual([false, []]);
  });

  // Fails when the hint flickers while the files are dragged over what is in the zone.
  test('are awaited until they leave the zone', async () => {
    const { view, zone } = await open();
    await view.fire('dragover', { dataTransfer: { types: ['Files'] } }, zone);
    await view.fire('dragleave', { relatedTarget: view.get('button', say('files.upload')) }, zone);
    expect(view.text()).toContain(say('files.drop'));
    await view.fire('dragleave', { relatedTarget: view.document.body }, zone);
    expect(view.text()).not.toContain(say('files.drop'));
  });
});

/** Gives a file the path in its folder, as browsers do. */
const withPath = (file: File, path: string) => Object.defineProperty(file, 'webkitRelativePath', { value: path });

describe('chosen files', () => {
  const choose = async (files: readonly File[]) => {
    const opened = await open();
    const { view } = opened;
    const input = view.document.querySelector('input[type=file]');
    if (!input) throw new Error('no field');
    Object.assign(input, { files });
    await view.fire('change', {}, input);
    return { ...opened, input };
  };

  test('are uploaded into the folder', async () => {
    const { added, targets } = await choose([withPath(new File(['x'], 'x.txt'), '')]);
    expect(added.map(({ origin }) => origin.names)).toEqual([['x.txt']]);
    expect(await targets()).toEqual(['a/x.txt']);
  });

  // Fails when the journal names each file of a folder instead of the folder.
  test('of a folder keep their place in it, and are one name', async () => {
    const paths = ['photos/1.jpg', 'photos/b/2.jpg'];
    const { added, targets } = await choose(paths.map((path) => withPath(new File(['x'], path.slice(-5)), path)));
    expect(added.map(({ origin }) => origin.names)).toEqual([['photos']]);
    expect(await targets()).toEqual(['a/photos/1.jpg', 'a/photos/b/2.jpg']);
  });

  test('are none when the choice was left', async () => {
    expect((await choose([])).added).toEqual([]);
  });
});
