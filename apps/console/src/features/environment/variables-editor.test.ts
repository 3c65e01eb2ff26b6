// @vitest-environment happy-dom
import { createElement } from 'react';
import { describe, expect, test } from 'vitest';
import { openView } from '../../testing/open-view.ts';
import { useVariables, type VariablesDraft } from './use-variables.ts';
import { VariablesEditor } from './variables-editor.tsx';

let draft: VariablesDraft | undefined;

function TestForm({ required }: { readonly required: readonly string[] | undefined }) {
  draft = useVariables(required);
  return createElement(VariablesEditor, { draft });
}

async function open(required?: readonly string[]) {
  const view = await openView(createElement(TestForm, { required }));
  const paste = (label: string, text: string, index = 0) =>
    view.fire('paste', { clipboardData: { getData: () => text } }, view.all('textbox', label)[index]);
  const drop = (name: string, text: string) =>
    view.fire('drop', { dataTransfer: { files: [new File([text], name)] } }, view.get('fieldset', 'Variables'));
  return { ...view, paste, drop, values: () => draft?.values, isValid: () => draft?.isValid };
}

describe('pasting', () => {
  // Fails when two variables become one name, as a field of one line makes of them.
  test('two lines into a name fills in two rows', async () => {
    const { paste, values, all } = await open();
    await paste('Name', 'A=1\nB=2');
    expect(values()).toEqual({ A: '1', B: '2' });
    expect(all('textbox', 'Name').map((field) => (field as HTMLInputElement).value)).toEqual(['A', 'B']);
  });

  test('keeps other rows, and replaces the value of a row with the same name', async () => {
    const { paste, values, type, clickOn, text } = await open();
    await type('Name', 'A');
    await type('Value', 'old');
    await clickOn('Add variable');
    await paste('Name', 'export B="two words"\nA=new # comment', 1);
    expect(values()).toEqual({ A: 'new', B: 'two words' });
    expect(text()).toContain('Filled in 2 variables');
  });

  test('a name alone is left to the browser', async () => {
    const { paste, values } = await open();
    expect((await paste('Name', 'API_KEY')).defaultPrevented).toBe(false);
    expect(values()).toEqual({});
  });

  // Fails when the lines of a key are joined, which makes it useless.
  test('a value of several lines keeps them, masked', async () => {
    const { paste, values, type, get, clickOn } = await open();
    await type('Name', 'KEY');
    await paste('Value', '-----BEGIN\nabc\n-----END\n');
    expect(values()).toEqual({ KEY: '-----BEGIN\nabc\n-----END' });
    expect(get('textarea', 'Value').className).toContain('text-security');
    await clickOn('Show values');
    expect(get('textarea', 'Value').className).not.toContain('text-security');
  });
});

describe('a dropped file', () => {
  test('fills in rows', async () => {
    const { drop, values, until } = await open();
    await drop('.env', '# mine\nA=1\nB="x\ny"\n');
    await until(() => expect(values()).toEqual({ A: '1', B: 'x\ny' }));
  });

  test('without variables is refused by name', async () => {
    const { drop, text, until } = await open();
    await drop('notes.txt', 'Remember the milk.');
    await until(() => expect(text()).toContain('No variables in notes.txt.'));
  });
});

describe('a row', () => {
  test.each([
    ['1A', 'Use letters, digits and “_”.'],
    ['A-B', 'Use letters, digits and “_”.'],
  ])('with the name %s says what is wrong', async (name, problem) => {
    const { type, get, isValid } = await open();
    await type('Name', name);
    expect([get('alert').textContent.startsWith(problem), isValid()]).toEqual([true, false]);
  });

  // Fails when the last of two values wins without a word.
  test('with a name of another row is marked', async () => {
    const { paste, clickOn, fill, all, get, isValid } = await open();
    await paste('Name', 'A=1\nB=2');
    await clickOn('Add variable');
    await fill(all('textbox', 'Name')[2] as HTMLInputElement, 'B');
    expect([get('alert').textContent, isValid()]).toEqual(['This name is already in the list.', false]);
    await clickOn('Remove variable 2');
    expect(isValid()).toBe(true);
  });

  test('is masked until the values are shown', async () => {
    const { field, clickOn } = await open();
    expect([field('Value').type, field('Value').autocomplete]).toEqual(['password', 'new-password']);
    await clickOn('Show values');
    expect(field('Value').type).toBe('text');
    await clickOn('Hide values');
    expect(field('Value').type).toBe('password');
  });
});

describe('required variables', () => {
  // Fails when a deploy may begin without them, or their names can be changed.
  test('have fixed names, come first and need a value', async () => {
    const { type, fields, values, isValid, paste, clickOn, controls } = await open(['A_KEY', 'B_KEY']);
    expect(fields()).toEqual(['A_KEY', 'B_KEY', 'Import .env file']);
    await type('A_KEY', '1');
    expect(isValid()).toBe(false);
    await type('B_KEY', '2');
    expect([isValid(), values()]).toEqual([true, { A_KEY: '1', B_KEY: '2' }]);
    await clickOn('Add variable');
    await paste('Name', 'B_KEY=3\nC=4');
    expect(values()).toEqual({ A_KEY: '1', B_KEY: '3', C: '4' });
    expect(controls()).toContain('Remove variable 3');
    expect(controls()).not.toContain('Remove variable 2');
  });
});
