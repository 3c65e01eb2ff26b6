// @vitest-environment happy-dom
import { createError } from '@berth/contract';
import { createElement } from 'react';
import { expect, test } from 'vitest';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { openView } from '../../testing/open-view.ts';
import { PasswordForm } from './password-form.tsx';

const CHANGE = 'POST /v1/auth/change-password';
const [OLD, NEW] = ['old secret words', 'new secret words'];

/** The form, filled in; the server answers with `answer`. */
async function fill(answer: () => unknown = () => ({ ok: true }), next = NEW) {
  const page = await openView(createElement(PasswordForm, { email: 'ada@example.org' }), {
    isPart: true,
    answers: { [CHANGE]: answer },
    cached: [[QUERY_KEYS.sessions, []]],
  });
  await page.type('Current password', OLD);
  await page.type('New password', next);
  return page;
}

// Fails when a password stays in the page after it was changed, or the list of sessions isn't read anew.
test('a new password is sent, and leaves the fields', async () => {
  const page = await fill();
  await page.clickOn('Change password');
  await page.until(() => expect(page.text()).toContain('Password changed.'));
  expect(page.calls.map(({ body }) => body)).toEqual([
    { current_password: OLD, new_password: NEW, end_other_sessions: true },
  ]);
  expect([page.field('Current password').value, page.field('New password').value]).toEqual(['', '']);
  expect(page.queries.getQueryState(QUERY_KEYS.sessions)?.isInvalidated).toBe(true);
});

// Fails when the box isn't sent: the other sessions would end in spite of it.
test('other sessions stay when their box is cleared', async () => {
  const page = await fill();
  await page.check('Sign out all other sessions');
  await page.type('New password', NEW);
  await page.press('Enter');
  await page.until(() => expect(page.calls).toHaveLength(1));
  expect(page.calls[0]?.body['end_other_sessions']).toBe(false);
});

// Fails when a refused password clears the fields, or its message stays beside another one.
test('a wrong password is marked at its field until it is changed', async () => {
  const page = await fill(() => {
    throw createError('bad_request', 'The current password is wrong.');
  });
  await page.clickOn('Change password');
  await page.until(() => expect(page.field('Current password').getAttribute('aria-invalid')).toBe('true'));
  expect(page.texts('alert')).toHaveLength(1);
  expect([page.field('Current password').value, page.field('New password').value]).toEqual([OLD, NEW]);
  await page.type('Current password', `${OLD}!`);
  await page.until(() => expect(page.texts('alert')).toEqual([]));
});

// Fails when every refusal counts as a wrong password.
test('another refusal is shown in the server’s words', async () => {
  const page = await fill(() => {
    throw createError('too_many_requests', 'Too many attempts. Try again in a minute.');
  });
  await page.clickOn('Change password');
  await page.until(() => expect(page.texts('alert')).toEqual(['Too many attempts. Try again in a minute.']));
  expect(page.field('Current password').getAttribute('aria-invalid')).toBeNull();
});

// Fails when the field has no minimum: the server would count the attempt.
test('a password of fewer than twelve characters isn’t sent', async () => {
  const page = await fill(undefined, 'too short');
  await page.clickOn('Change password');
  await page.settle();
  expect(page.calls).toEqual([]);
});

// Fails when the commands are built from the request: a copied command ends up in a shell history.
test('the commands have no password', async () => {
  const page = await fill();
  await page.check('Sign out all other sessions');
  const [cli, curl] = await page.copyCommands();
  expect(cli).toBe('npx berth password --keep-sessions');
  expect(curl).toContain('"end_other_sessions":false');
  expect(`${cli} ${curl}`).not.toMatch(/secret words/);
});
