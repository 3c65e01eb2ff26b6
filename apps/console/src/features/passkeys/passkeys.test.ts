import type { ControlPaths } from '@berth/client';
import { createFakeCalls } from '@berth/client/testing';
import type { PasskeySignInRequest, SignedIn } from '@berth/contract';
import { createFakeClock } from '@berth/testkit';
import { expect, test } from 'vitest';
import { canUsePasskeys, type PasskeyBrowser } from './passkey-browser.ts';
import { passkeyProblem } from './passkey-problem.ts';
import { offerPasskeys, signInByPasskey } from './passkey-sign-in.ts';

const aborted = () => Object.assign(new Error('ended'), { code: 'ERROR_CEREMONY_ABORTED' });

/**
 * Returns a fake browser whose person answers on the test's command, and a server that refuses the passkey `refused`.
 */
function setup({ canAutofill = true, refused = '' } = {}) {
  const asked: string[] = [];
  const signedIn: string[] = [];
  let waiting: PromiseWithResolvers<PasskeySignInRequest> | undefined;
  let count = 0;
  const browser: PasskeyBrowser = {
    canAutofill: async () => canAutofill,
    create: () => Promise.reject(new Error('not asked for')),
    get({ challenge }, isAutofill = false) {
      waiting?.reject(aborted());
      asked.push(`${isAutofill ? 'offered' : 'asked'} ${challenge}`);
      waiting = Promise.withResolvers();
      return waiting.promise;
    },
    cancel: () => waiting?.reject(aborted()),
    tellAccepted: async () => {},
  };
  const client = createFakeCalls<ControlPaths>({
    'POST /v1/auth/passkey/options': () => ({ challenge: `c${++count}` }),
    'POST /v1/auth/passkey/sign-in': ({ body: { id } }) => {
      if (id === refused) throw new Error('refused');
      return { user: { id } };
    },
  });
  const session = { noteSignedIn: ({ user }: SignedIn) => void signedIn.push(user.id) };
  return {
    parts: { client, session, browser },
    asked,
    signedIn,
    answer: (id: string) => waiting?.resolve({ id } as PasskeySignInRequest),
  };
}

test('asks for a passkey and signs in', async () => {
  const { parts, asked, signedIn, answer } = setup();
  const done = signInByPasskey(parts);
  await expect.poll(() => asked).toEqual(['asked c1']);
  answer('ann');
  await done;
  expect(signedIn).toEqual(['ann']);
});

test('renews the challenge of the autofill until a passkey is picked', async () => {
  const { parts, asked, signedIn, answer } = setup();
  const clock = createFakeClock();
  const done = offerPasskeys(parts, clock, new AbortController().signal);
  await expect.poll(() => asked).toEqual(['offered c1']);
  clock.advance(4 * 60_000);
  await expect.poll(() => asked).toEqual(['offered c1', 'offered c2']);
  answer('ann');
  await done;
  expect(signedIn).toEqual(['ann']);
  clock.advance(10 * 60_000);
  expect(asked).toHaveLength(2);
});

test('the autofill ends when aborted, without browser support, and on a refusal', async () => {
  const first = setup();
  const controller = new AbortController();
  const done = offerPasskeys(first.parts, createFakeClock(), controller.signal);
  await expect.poll(() => first.asked).toHaveLength(1);
  controller.abort();
  await done;
  expect(first.signedIn).toEqual([]);

  const without = setup({ canAutofill: false });
  await offerPasskeys(without.parts, createFakeClock(), new AbortController().signal);
  expect(without.asked).toEqual([]);

  const bad = setup({ refused: 'eve' });
  const refusal = offerPasskeys(bad.parts, createFakeClock(), new AbortController().signal);
  await expect.poll(() => bad.asked).toHaveLength(1);
  bad.answer('eve');
  await expect(refusal).rejects.toThrow('refused');
});

test.each([
  [true, 'berth.example.com', {}, true],
  [true, 'localhost', {}, true],
  [false, 'berth.example.com', {}, false],
  [true, '127.0.0.1', {}, false],
  [true, '[::1]', {}, false],
  [true, 'berth.example.com', undefined, false],
])('secure: %s, at %s, with %j: %s', (isSecureContext, hostname, PublicKeyCredential, can) => {
  expect(canUsePasskeys({ isSecureContext, location: { hostname }, PublicKeyCredential })).toBe(can);
});

test.each([
  [new DOMException('no', 'NotAllowedError'), 'cancelled'],
  [new DOMException('no', 'SecurityError'), 'address'],
  [new DOMException('no', 'InvalidStateError'), 'known'],
  [new DOMException('no', 'UnknownError'), 'other'],
  [aborted(), 'cancelled'],
  [Object.assign(new Error('x'), { code: 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED' }), 'known'],
  [
    Object.assign(new Error('x'), { code: 'ERROR_PASSTHROUGH_SEE_CAUSE_PROPERTY', name: 'NotAllowedError' }),
    'cancelled',
  ],
  [Object.assign(new Error('x'), { code: 'unauthenticated' }), undefined],
  ['text', undefined],
])('%s is %s', (error, problem) => {
  expect(passkeyProblem(error)).toBe(problem);
});
