import { createError } from '@berth/contract';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { setupView } from '../../render-view.test-support.ts';
import { createPasskeyBrowser } from './passkey-browser.ts';
import { needsPassword } from './use-add-passkey.ts';
import { usePasskeyWords } from './use-passkey-words.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('telling password managers which passkeys are valid', () => {
  const person = { id: 'usr_?>', credentialIds: ['a', 'b'] };

  // Fails when the id of the person isn't written in base64url: the signal would name nobody.
  test('names the host, the person and all passkeys that are left', async () => {
    const told: unknown[] = [];
    vi.stubGlobal('location', { hostname: 'berth.example.com' });
    vi.stubGlobal('PublicKeyCredential', {
      signalAllAcceptedCredentials: async (options: unknown) => void told.push(options),
    });
    await createPasskeyBrowser().tellAccepted(person);
    expect(told).toEqual([{ rpId: 'berth.example.com', userId: 'dXNyXz8-', allAcceptedCredentialIds: ['a', 'b'] }]);
  });

  // Fails when a passkey can't be removed in a browser without the signal.
  test.each([
    ['without passkeys', undefined],
    ['without the signal', {}],
    ['whose signal fails', { signalAllAcceptedCredentials: () => Promise.reject(new Error('not allowed')) }],
  ])('does nothing in a browser %s', async (_, credential) => {
    vi.stubGlobal('location', { hostname: 'berth.example.com' });
    vi.stubGlobal('PublicKeyCredential', credential);
    await expect(createPasskeyBrowser().tellAccepted(person)).resolves.toBeUndefined();
  });

  test('nothing is pending at first', () => {
    expect(() => createPasskeyBrowser().cancel()).not.toThrow();
  });
});

// Fails when another refusal asks for the password again and again.
test.each([
  ['forbidden', true],
  ['invalid', true],
  ['unavailable', false],
  ['conflict', false],
] as const)('%s asks for the password: %s', (code, expected) => {
  expect(needsPassword(createError(code, 'no'))).toBe(expected);
  expect(needsPassword(new Error('no'))).toBe(false);
});

// Fails when the browser's words are shown, or the server's are replaced.
test('the browser’s errors become advice; the server’s stay', () => {
  const say = setupView().call(usePasskeyWords);
  expect(say(new DOMException('The operation either timed out or was not allowed.', 'NotAllowedError'))).not.toMatch(
    /operation/,
  );
  const refused = createError('conflict', 'You have that passkey.');
  expect(say(refused)).toBe(refused);
});
