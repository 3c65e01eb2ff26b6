// @vitest-environment happy-dom
import { act, createElement, useState } from 'react';
import { describe, expect, test } from 'vitest';
import { openView } from '../testing/open-view.ts';
import { useUnsavedGuard } from './use-unsaved-guard.tsx';

/** A field whose text is lost when it is not saved. */
function TestForm() {
  const [text, setText] = useState('');
  const guard = useUnsavedGuard(text === '' ? [] : ['Memory', 'CPUs']);
  const field = createElement('input', {
    'aria-label': 'Text',
    value: text,
    onChange: (event: { target: { value: string } }) => setText(event.target.value),
  });
  return createElement('div', {}, field, guard);
}

async function open(address = '/deployments/shop?tab=settings') {
  const view = await openView(createElement(TestForm), { address, elsewhere: 'Elsewhere' });
  const go = async (to: string) => {
    await act(async () => void view.router.navigate({ to: to as never }));
    await view.settle();
  };
  return { ...view, go };
}

describe('a form with unsaved changes', () => {
  // Fails when a tab switch loses what was typed, without a word.
  test.each(['/deployments/shop?tab=domains', '/deployments/other?tab=settings', '/volumes/media'])(
    'asks before leaving for %s, and stays',
    async (to) => {
      const { type, go, dialog, clickOn, address, field } = await open();
      await type('Text', 'x');
      await go(to);
      expect(dialog()).toContain('will be lost: Memory and CPUs.');
      await clickOn('Keep editing');
      expect([dialog(), address(), field('Text').value]).toEqual([undefined, '/deployments/shop?tab=settings', 'x']);
    },
  );

  test('leaves when they are discarded', async () => {
    const { type, go, clickOn, text, address } = await open();
    await type('Text', 'x');
    await go('/volumes/media');
    await clickOn('Discard');
    expect([address(), text()]).toEqual(['/volumes/media', 'Elsewhere']);
  });

  test('does not ask about other parameters of the page', async () => {
    const { type, go, dialog, address } = await open();
    await type('Text', 'x');
    await go('/deployments/shop?tab=settings&deploy=dpl_1');
    expect([dialog(), address()]).toEqual([undefined, '/deployments/shop?tab=settings&deploy=dpl_1']);
  });
});

test('a form without changes does not ask', async () => {
  const { go, address } = await open();
  await go('/volumes/media');
  expect(address()).toBe('/volumes/media');
});
