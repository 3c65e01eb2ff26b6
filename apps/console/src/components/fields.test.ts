import { createElement, type FunctionComponent } from 'react';
import { expect, test } from 'vitest';
import { setupView } from '../render-view.test-support.ts';
import { EmailField, NewPasswordField, PasswordField, PersonNameField } from './fields.tsx';

const { render } = setupView();

/** Returns the attributes of the input that a field renders. */
function attributesOf(field: FunctionComponent<Parameters<typeof EmailField>[0]>, props: object = {}) {
  const html = render(createElement(field, { value: '', onChange() {}, ...props }));
  const [input = ''] = /<input[^>]*>/.exec(html) ?? [];
  return Object.fromEntries([...input.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]));
}

// Fails when an attribute is lost that password managers or the browser's checks need.
test.each([
  [PersonNameField, { name: 'name', autoComplete: 'name', maxLength: '100', required: '' }],
  [EmailField, { name: 'email', type: 'email', autoComplete: 'username', required: '' }],
  [PasswordField, { name: 'password', type: 'password', autoComplete: 'current-password', required: '' }],
  [
    NewPasswordField,
    { name: 'password', type: 'password', autoComplete: 'new-password', minLength: '12', maxLength: '128' },
  ],
])('%o tells the browser what belongs in it', (field, expected) => {
  const attributes = attributesOf(field);
  for (const [name, value] of Object.entries(expected)) expect(attributes).toHaveProperty(name, value);
});

// Fails when the field's own attributes win over those of its form.
test('a form may change an attribute', () => {
  expect(attributesOf(EmailField, { autoComplete: 'username webauthn' })).toMatchObject({
    autoComplete: 'username webauthn',
    type: 'email',
  });
  expect(attributesOf(NewPasswordField, { name: 'new_password' })).toMatchObject({ name: 'new_password' });
});
