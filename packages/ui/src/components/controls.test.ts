// @vitest-environment happy-dom

import { BerthError } from '@berth/kit';
import { useState } from 'react';
import { jsx, jsxs } from 'react/jsx-runtime';
import { describe, expect, test, vi } from 'vitest';
import { mountPart } from '../testing/mount-part.ts';
import { Button } from './button.tsx';
import { ErrorNote } from './error-note.tsx';
import { Field } from './field.tsx';
import { Form, FormActions } from './form.tsx';
import { Select } from './select.tsx';
import { Switch } from './switch.tsx';
import { Tabs } from './tabs.tsx';

describe('a button', () => {
  // Fails when its type is the browser's default: it would submit the form around it.
  test('submits no form unless it is made for that', async () => {
    const onSubmit = vi.fn();
    const buttons = [jsx(Button, { children: 'Cancel' }), jsx(Button, { type: 'submit', children: 'Save' })];
    const view = await mountPart(jsxs(Form, { onSubmit, children: buttons }));
    await view.click(view.get('button', 'Cancel'));
    expect(onSubmit).not.toHaveBeenCalled();
    await view.click(view.get('button', 'Save'));
    expect(onSubmit).toHaveBeenCalledOnce();
  });

  // Fails when its name goes while it is busy: a screen reader would read nothing.
  test('keeps its name while it is busy', async () => {
    const onClick = vi.fn();
    const view = await mountPart(jsx(Button, { isBusy: true, onClick, children: 'Save' }));
    await view.click(view.get('button', 'Save'));
    expect(onClick).not.toHaveBeenCalled();
  });
});

interface NameFormProps {
  readonly error: unknown;
  onName(name: string): void;
}

function NameForm({ error, onName }: NameFormProps) {
  const [name, setName] = useState('');
  const children = [
    jsx(Field, { label: 'Name', name: 'name', value: name, onChange: setName, required: true }),
    jsx(FormActions, { children: jsx(Button, { type: 'submit', children: 'Save' }) }),
  ];
  return jsxs(Form, { error, onSubmit: () => onName(name), children });
}

describe('a form', () => {
  const open = async (error?: unknown) => {
    const onSubmit = vi.fn();
    return { view: await mountPart(jsx(NameForm, { error, onName: onSubmit })), onSubmit };
  };

  // Fails when the browser submits it as well: the page would be left, and what was typed lost.
  test('is sent by Enter without leaving the page', async () => {
    const { view, onSubmit } = await open();
    await view.fill(view.field('Name'), 'shop');
    const submitted = vi.fn((event: { defaultPrevented: boolean }) => event.defaultPrevented);
    view.document.addEventListener('submit', submitted);
    await view.press('Enter');
    view.document.removeEventListener('submit', submitted);
    expect(onSubmit.mock.calls).toEqual([['shop']]);
    expect(submitted).toHaveReturnedWith(true);
  });

  test('isn’t sent without what it requires', async () => {
    const { view, onSubmit } = await open();
    await view.click(view.get('button', 'Save'));
    expect(onSubmit).not.toHaveBeenCalled();
  });

  // Fails when the problem isn't connected with its field: a screen reader in the field would not read it.
  test('tells a field’s problem with the field', async () => {
    const issues = [{ loc: ['body', 'name'], msg: 'taken' }];
    const { view } = await open(new BerthError({ code: 'invalid', status: 422, message: 'No.', details: { issues } }));
    const field = view.field('Name');
    const described = (field.getAttribute('aria-describedby') ?? '').split(' ');
    expect(described.map((id) => view.document.getElementById(id)?.textContent)).toContain('taken');
    expect(field.getAttribute('aria-invalid')).toBe('true');
  });
});

const TABS = ['a', 'b', 'c'].map((value) => ({ value, label: `Tab ${value}`, content: `panel ${value}` }));

function ThreeTabs() {
  const [value, onChange] = useState('a');
  return jsx(Tabs, { label: 'Parts', value, onChange, tabs: TABS });
}

describe('tabs', () => {
  const open = () => mountPart(jsx(ThreeTabs, {}));

  test('show one panel, named after its tab', async () => {
    const view = await open();
    await view.click(view.get('tab', 'Tab b'));
    expect(view.all('tabpanel').map(({ textContent }) => textContent)).toEqual(['panel b']);
    expect(view.get('tabpanel', 'Tab b')).toBeDefined();
    expect(view.all('tab').map((tab) => tab.getAttribute('aria-selected'))).toEqual(['false', 'true', 'false']);
  });

  // Fails when a list that is wider than a phone looks complete.
  test('are marked on the side where more of them are', async () => {
    const width = vi.spyOn(HTMLElement.prototype, 'scrollWidth', 'get').mockReturnValue(600);
    const seen = vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(390);
    const view = await open();
    const list = view.get('tablist', 'Parts');
    expect(list.dataset['more']).toBe('right');
    list.scrollLeft = 100;
    list.dispatchEvent(new Event('scroll'));
    expect(list.dataset['more']).toBe('left right');
    width.mockRestore();
    seen.mockRestore();
  });

  // Fails when each tab is a stop of the Tab key, or arrow keys do nothing.
  test('are walked by arrow keys, and are one stop of the Tab key', async () => {
    const view = await open();
    await view.focus(view.get('tab', 'Tab a'));
    await view.press('ArrowRight');
    expect(view.document.activeElement).toBe(view.get('tab', 'Tab b'));
    await view.press('End');
    expect(view.document.activeElement).toBe(view.get('tab', 'Tab c'));
    expect(view.all('tab').filter((tab) => tab.tabIndex === 0)).toHaveLength(1);
  });
});

describe('a select', () => {
  const OPTIONS = ['all', 'errors'].map((value) => ({ value, label: `Show ${value}` }));
  const open = async () => {
    const onChange = vi.fn();
    const view = await mountPart(
      jsx(Select, { label: 'Severity', isLabelHidden: true, value: 'all', options: OPTIONS, onChange }),
    );
    return { view, onChange, box: view.get('combobox', 'Severity') };
  };

  // Fails when the value itself is shown, or a hidden label is lost.
  test('shows the label of its value', async () => {
    const { box } = await open();
    expect(box.textContent).toContain('Show all');
  });

  test('is changed by keys', async () => {
    const { view, onChange, box } = await open();
    await view.focus(box);
    await view.press('ArrowDown');
    await view.press('ArrowDown');
    await view.press('Enter');
    expect(onChange.mock.calls.map(([value]) => value)).toEqual(['errors']);
  });
});

describe('a switch', () => {
  const open = async (disabled: boolean) => {
    const onChange = vi.fn();
    const view = await mountPart(jsx(Switch, { label: 'Live', isOn: false, onChange, disabled }));
    return { view, onChange, button: view.get('switch') };
  };

  test('tells its state and the other one', async () => {
    const { view, onChange, button } = await open(false);
    expect(button.getAttribute('aria-checked')).toBe('false');
    await view.click(button);
    expect(onChange.mock.calls.map(([isOn]) => isOn)).toEqual([true]);
  });

  test('that is disabled does nothing', async () => {
    const { view, onChange, button } = await open(true);
    await view.click(button);
    expect(onChange).not.toHaveBeenCalled();
  });
});

describe('an error', () => {
  test.each([
    [new Error('The disk is full.'), 'The disk is full.'],
    ['No such field.', 'No such field.'],
  ])('is announced with its own sentence', async (error, text) => {
    const view = await mountPart(jsx(ErrorNote, { error }));
    expect(view.get('alert').textContent).toBe(text);
  });

  test('offers another try only where one can help', async () => {
    const onRetry = vi.fn();
    const view = await mountPart(jsx(ErrorNote, { error: 'x', onRetry }));
    await view.click(view.get('button', 'Try again'));
    expect(onRetry).toHaveBeenCalledOnce();
    await view.render(jsx(ErrorNote, { error: 'x' }));
    expect(view.find('button', 'Try again')).toBeUndefined();
  });
});
