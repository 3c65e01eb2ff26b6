// @vitest-environment happy-dom
import { createError } from '@berth/contract';
import { createElement } from 'react';
import { expect, test } from 'vitest';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { openView } from '../../testing/open-view.ts';
import { ProfileForm } from './profile-form.tsx';

const SAVE = 'POST /v1/user/profile';
const person = { name: 'Ada Lovelace', email: 'ada@example.org' };

function open(answer: () => unknown = () => person) {
  return openView(createElement(ProfileForm, { person }), {
    isPart: true,
    answers: { [SAVE]: answer },
    cached: [
      [QUERY_KEYS.user, {}],
      [QUERY_KEYS.members, []],
    ],
  });
}

// Fails when spaces around the name are saved, or count as a change.
test.each([
  ['Ada Lovelace', true],
  ['  Ada Lovelace ', true],
  ['', true],
  ['   ', true],
  ['Ada', false],
])('the name %j can’t be saved: %s', async (name, isDisabled) => {
  const page = await open();
  await page.type('Your name', name);
  await page.until(() => expect(page.control('Save').disabled).toBe(isDisabled));
});

// Fails when the name isn't trimmed, or the lists that show it stay as they were.
test('a new name is saved, and read anew where it is shown', async () => {
  const page = await open();
  await page.type('Your name', ' Ada King ');
  await page.clickOn('Save');
  await page.until(() => expect(page.text()).toContain('Saved.'));
  expect(page.calls.map(({ body }) => body)).toEqual([{ name: 'Ada King' }]);
  const areStale = [QUERY_KEYS.user, QUERY_KEYS.members].map((key) => page.queries.getQueryState(key)?.isInvalidated);
  expect(areStale).toEqual([true, true]);
});

// Fails when a refused name is put back.
test('a refused name stays in its field, with the reason', async () => {
  const page = await open(() => {
    throw createError('invalid', 'The name has a control character.', {
      details: { issues: [{ loc: ['body', 'name'], msg: 'must have no control characters' }] },
    });
  });
  await page.type('Your name', 'A\u0007da');
  await page.clickOn('Save');
  await page.until(() => expect(page.texts('alert')).toContain('must have no control characters'));
  expect(page.field('Your name').value).toBe('A\u0007da');
});

// Fails when the address can be edited: it is what the person signs in with.
test('the email address is text', async () => {
  const page = await open();
  expect(page.text()).toContain('ada@example.org');
  expect(page.fields()).toEqual(['Your name']);
});

// Fails when the name reaches the shell unquoted, or an empty one is written into the command.
test('the command quotes the name', async () => {
  const page = await open();
  await page.type('Your name', "Ada; rm -rf '~'");
  expect((await page.copyCommands())[0]).toBe(`npx berth profile 'Ada; rm -rf '\\''~'\\'''`);
  await page.type('Your name', ' ');
  expect((await page.copyCommands())[0]).toBe("npx berth profile 'Ada Lovelace'");
});
