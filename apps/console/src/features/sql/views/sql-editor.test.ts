// @vitest-environment happy-dom
import { act, createElement, useState } from 'react';
import { beforeEach, expect, test, vi } from 'vitest';
import { openView } from '../../../testing/open-view.ts';
import type { Editor, EditorOptions } from './create-editor.ts';
import { SqlEditor } from './sql-editor.tsx';

const editor = vi.hoisted(() => ({ options: undefined as EditorOptions | undefined, set: [] as string[] }));

// CodeMirror needs a browser that lays out text; tests/browser/sql.test.ts uses it.
vi.mock('./create-editor.ts', () => ({
  createEditor(_host: HTMLElement, options: EditorOptions): Editor {
    editor.options = options;
    return { setValue: (value) => editor.set.push(value), insert: () => {}, describe: () => {}, close: () => {} };
  },
}));

let give: (value: string) => void;
const submitted: string[] = [];

/** An owner of the text that renders later than the editor reports. */
function Late() {
  const [value, setValue] = useState('SELECT');
  give = setValue;
  return createElement(SqlEditor, {
    ...{ label: 'Query', value, problem: undefined, placeholder: '', hint: '', handle: null },
    onChange: () => {},
    onSubmit: (text: string) => submitted.push(text),
  });
}

beforeEach(() => {
  editor.set = [];
});

// Fails when letters typed during a render are undone by the text that was rendered.
test('a text that comes back after more was typed leaves the editor alone', async () => {
  await openView(createElement(Late));
  editor.set = [];
  editor.options?.onChange('SELECT 1');
  editor.options?.onChange('SELECT 12');
  await act(async () => give('SELECT 1'));
  await act(async () => give('SELECT 12'));
  expect(editor.set).toEqual([]);
  await act(async () => give('SELECT 1'));
  expect(editor.set).toEqual(['SELECT 1']);
});

// Fails when Ctrl+Enter runs the text of the last render.
test('submitting hands over the text of the editor', async () => {
  await openView(createElement(Late));
  editor.options?.onSubmit('SELECT 3');
  expect(submitted).toEqual(['SELECT 3']);
});
