// @vitest-environment happy-dom
import { act, createElement, useState } from 'react';
import { describe, expect, test, vi } from 'vitest';
import { openView } from '../../testing/open-view.ts';
import { CodeField } from './code-field.tsx';
import { type Complete, matching, toOption } from './completion.ts';

const WORDS = ['severity', 'severity_number', 'trace'].map(toOption('field'));

/** Completes the last word. */
const complete: Complete = (text, caret) => {
  const [written = ''] = /\w*$/.exec(text.slice(0, caret)) ?? [];
  return written === '' ? undefined : matching(WORDS, written, caret - written.length);
};

interface PageProps extends Partial<Parameters<typeof CodeField>[0]> {
  readonly first: string;
}

function Page({ first, ...props }: PageProps) {
  const [value, onChange] = useState(first);
  const about = { label: 'Filter', value, onChange, onSubmit() {}, complete };
  return createElement(CodeField, { ...about, ...props });
}

async function open(props: Partial<PageProps> = {}) {
  const onSubmit = vi.fn();
  const view = await openView(createElement(Page, { first: '', onSubmit, ...props }));
  const field = view.field('Filter');
  return {
    view,
    field,
    onSubmit,
    type: (text: string) => view.fill(field, text),
    options: () => view.all('option').map(({ textContent }) => textContent),
    active: () => view.document.getElementById(field.getAttribute('aria-activedescendant') ?? '-')?.textContent,
  };
}

describe('completions', () => {
  test('appear as one types, and none of them is chosen yet', async () => {
    const { type, options, active, field } = await open();
    await type('sev');
    expect([options(), active()]).toEqual([['severity', 'severity_number'], undefined]);
    expect(field.getAttribute('aria-controls')).not.toBeNull();
  });

  // Fails when Enter takes the first completion: a filter that was typed whole would be changed instead of run.
  test('leave Enter alone until one was chosen by an arrow', async () => {
    const { view, type, onSubmit, field, options } = await open();
    await type('sev');
    await view.press('Enter');
    expect([onSubmit.mock.calls.length, field.value, options()]).toEqual([1, 'sev', []]);
  });

  test('are walked by arrows, round both ends', async () => {
    const { view, type, active } = await open();
    await type('sev');
    const seen: unknown[] = [];
    for (const key of ['ArrowUp', 'ArrowDown', 'ArrowDown', 'ArrowUp']) {
      expect((await view.press(key)).defaultPrevented).toBe(true);
      seen.push(active());
    }
    expect(seen).toEqual(['severity_number', 'severity', 'severity_number', 'severity']);
  });

  test('are taken by Enter once chosen, in place of the word', async () => {
    const { view, type, field, onSubmit } = await open();
    await type('trace=1 AND sev');
    await view.press('ArrowDown');
    await view.press('ArrowDown');
    await view.press('Enter');
    expect([field.value, onSubmit.mock.calls.length]).toEqual(['trace=1 AND severity_number', 0]);
    expect([field.selectionStart, field.selectionEnd]).toEqual([27, 27]);
  });

  // Fails when Tab leaves the field while there is something to take, or Shift+Tab can't go back.
  test('are taken by Tab; Shift+Tab leaves the field', async () => {
    const { view, type, field } = await open();
    await type('sev');
    expect((await view.press('Tab', { shiftKey: true })).defaultPrevented).toBe(false);
    expect((await view.press('Tab')).defaultPrevented).toBe(true);
    expect(field.value).toBe('severity');
    expect((await view.press('Tab')).defaultPrevented).toBe(false);
  });

  test('are taken by a click, which leaves the focus in the field', async () => {
    const { view, type, field } = await open();
    await type('sev');
    const option = view.get('option', 'severity_number');
    expect((await view.fire('mousedown', {}, option)).defaultPrevented).toBe(true);
    await act(async () => option.click());
    expect([field.value, view.document.activeElement === field]).toEqual(['severity_number', true]);
  });

  test.each(['Escape', 'a click', 'leaving the field'])('go by %s', async (way) => {
    const { view, type, field, options } = await open();
    await type('sev');
    if (way === 'Escape') await view.press('Escape');
    else if (way === 'a click') await act(async () => field.click());
    else await view.fire('focusout', {}, field);
    expect([options(), field.value]).toEqual([[], 'sev']);
  });

  test('are asked for by Ctrl+Space', async () => {
    const { view, field, options } = await open({ first: 'tr' });
    await view.focus(field);
    field.setSelectionRange(2, 2);
    await view.press(' ', { ctrlKey: true });
    expect(options()).toEqual(['trace']);
  });
});

describe('submitting', () => {
  test('takes Enter in a field of one line, and leaves a new line to Shift+Enter', async () => {
    const { view, type, onSubmit } = await open();
    await type('x');
    expect((await view.press('Enter', { shiftKey: true })).defaultPrevented).toBe(false);
    expect(onSubmit).not.toHaveBeenCalled();
    expect((await view.press('Enter')).defaultPrevented).toBe(true);
    expect(onSubmit).toHaveBeenCalledOnce();
  });
});

describe('a problem', () => {
  // Fails when a screen reader in the field doesn't read it.
  test('is told with the field, and counted from 1', async () => {
    const { view, field } = await open({ first: 'a b', problem: { message: 'expected a value', at: 2 } });
    expect(field.getAttribute('aria-invalid')).toBe('true');
    const about = view.document.getElementById(field.getAttribute('aria-describedby') ?? '');
    expect(about?.textContent).toContain('3');
    expect(about?.textContent).toContain('expected a value');
    expect(view.document.querySelector('mark')?.textContent).toBe('b');
  });

  // Fails when an offset beyond the text, at which a word is missing, marks nothing or throws.
  test('at the end of the text is marked there', async () => {
    const { view } = await open({ first: 'a=', problem: { message: 'expected a value', at: 99 } });
    expect(view.document.querySelector('mark')?.textContent.trim()).toBe('');
    expect(view.get('alert').textContent).toContain('3');
  });

  test('without a place is its sentence alone', async () => {
    const { view } = await open({ first: 'a', problem: { message: 'The query is too long.', at: undefined } });
    expect(view.get('alert').textContent).toBe('The query is too long.');
    expect(view.document.querySelector('mark')).toBeNull();
  });
});
