// @vitest-environment happy-dom
import { createError } from '@berth/contract';
import { createElement, useState } from 'react';
import { expect, test } from 'vitest';
import { openView } from '../testing/open-view.ts';
import { ConfirmAction } from './confirm-action.tsx';

const REVOKE = 'DELETE /v1/user/keys';
const steps: string[] = [];

/** A page with an action that is asked about. */
function Page({ typedName }: { readonly typedName?: string }) {
  const [isAsking, setAsking] = useState(false);
  const ask = createElement('button', { key: 'ask', type: 'button', onClick: () => setAsking(true) }, 'Ask');
  const question = createElement(ConfirmAction, {
    ...{ key: 'question', title: 'Revoke it?', description: 'For good.', action: 'Revoke', typedName },
    command: { cli: 'npx berth keys rm key_1', http: { method: 'DELETE', path: '/v1/user/keys?id=key_1' } },
    run: (client) => client.delete('/v1/user/keys', { params: { query: { id: 'key_1' } } }),
    onDone: () => void steps.push('done'),
    onClose: () => {
      steps.push('close');
      setAsking(false);
    },
  });
  return [ask, isAsking && question];
}

async function open(revoke: () => unknown = () => ({}), typedName?: string) {
  steps.length = 0;
  const page = await openView(createElement(Page, typedName === undefined ? {} : { typedName }), {
    answers: { [REVOKE]: revoke },
  });
  await page.clickOn('Ask');
  await page.until(() => expect(page.dialog()).toContain('Revoke it?'));
  return { ...page, focused: () => document.activeElement?.textContent };
}

// Fails when Enter right after the question does something: the focus would be on another button than Cancel.
test('Enter right after the question cancels it', async () => {
  const { press, until, dialog, focused, sent } = await open();
  expect(focused()).toBe('Cancel');
  await press('Enter');
  await until(() => expect(dialog()).toBeUndefined());
  expect([sent(REVOKE), steps, focused()]).toEqual([[], ['close'], 'Ask']);
});

// Fails when people have to look for the field that they must fill in.
test('a name that has to be typed is typed at once', async () => {
  const { field, control } = await open(undefined, 'ci');
  expect(document.activeElement).toBe(field('Type ci to confirm'));
  expect(control('Revoke').disabled).toBe(true);
});

// Fails when the question closes before what follows the action, or the action runs twice.
test('the question closes after all of the action', async () => {
  const answer = Promise.withResolvers<unknown>();
  const { clickOn, until, dialog, control, sent } = await open(() => answer.promise);
  await clickOn('Revoke');
  expect([control('Revoke').disabled, dialog() !== undefined]).toEqual([true, true]);
  await clickOn('Revoke');
  answer.resolve({});
  await until(() => expect(dialog()).toBeUndefined());
  expect([sent(REVOKE), steps]).toEqual([[{ id: 'key_1' }], ['done', 'close']]);
});

// Fails when a failure closes the question, or the next try shows the error of the one before.
test('a failure stays until the next try', async () => {
  let isBroken = true;
  const { clickOn, until, dialog, texts } = await open(() => {
    if (isBroken) throw createError('unavailable', 'The database is busy.');
    return {};
  });
  await clickOn('Revoke');
  await until(() => expect(texts('alert')).toEqual(['The database is busy.']));
  expect(steps).toEqual([]);
  isBroken = false;
  await clickOn('Revoke');
  await until(() => expect(dialog()).toBeUndefined());
  expect(steps).toEqual(['done', 'close']);
});
