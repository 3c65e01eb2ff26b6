// @vitest-environment happy-dom
import { createError } from '@berth/contract';
import { createElement } from 'react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type OpenSetup, openView, say } from '../../testing/open-view.ts';
import { DevicePage } from './device-page.tsx';

const LOOK = 'GET /v1/user/device';
const DECIDE = 'POST /v1/user/device';

afterEach(() => {
  vi.unstubAllGlobals();
});

async function open(answers: OpenSetup['answers'] = {}, query = '') {
  vi.stubGlobal('location', new URL(`http://berth.test/device${query}`));
  const view = await openView(createElement(DevicePage), {
    answers: {
      [LOOK]: ({ query: { user_code } }) => ({ device_name: `laptop of ${user_code}`, address: '203.0.113.7' }),
      [DECIDE]: () => ({}),
      ...answers,
    },
  });
  return {
    view,
    type: (code: string) => view.fill(view.field(say('device.code')), code),
    goOn: () => view.click(view.get('button', say('passkeys.confirm.submit'))),
    canApprove: () => view.find('button', say('device.approve')) !== undefined,
  };
}

describe('a device', () => {
  // Fails when a link alone lets the device of whoever sent it in.
  test('isn’t even looked up by its link before the person goes on', async () => {
    const { view, goOn, canApprove } = await open({}, '?code=ABCD-EFGH');
    expect(view.field(say('device.code')).value).toBe('ABCD-EFGH');
    expect([view.calls, canApprove()]).toEqual([[], false]);
    await goOn();
    expect(view.sent(LOOK)).toEqual([{ user_code: 'ABCD-EFGH' }]);
    expect(view.text()).toContain('laptop of ABCD-EFGH');
    expect(view.sent(DECIDE)).toEqual([]);
  });

  test.each([
    ['device.approve', true, 'device.approved'],
    ['device.deny', false, 'device.denied'],
  ] as const)('is decided on by %s', async (button, approve, answer) => {
    const { view, type, goOn } = await open();
    await type(' ABCD-EFGH ');
    await goOn();
    await view.click(view.get('button', say(button)));
    expect(view.sent(DECIDE)).toEqual([{ user_code: 'ABCD-EFGH', approve }]);
    expect(view.get('status', say(answer))).toBeDefined();
    expect(view.find('button', say('device.approve'))).toBeUndefined();
  });

  // Fails when the code that is approved isn't the one whose device is shown.
  test('is looked up again after another code was typed', async () => {
    const { view, type, goOn, canApprove } = await open();
    await type('AAAA');
    await goOn();
    expect(canApprove()).toBe(true);
    await type('BBBB');
    expect(canApprove()).toBe(false);
    await goOn();
    await view.click(view.get('button', say('device.approve')));
    expect(view.text()).not.toContain('laptop of AAAA');
    expect(view.sent(DECIDE)).toEqual([{ user_code: 'BBBB', approve: true }]);
  });
});

describe('a code', () => {
  test('that is unknown shows why, and lets nothing in', async () => {
    const refuse = () => {
      throw createError('not_found', 'No device waits with this code.');
    };
    const { view, type, goOn, canApprove } = await open({ [LOOK]: refuse });
    await type('XXXX');
    await goOn();
    expect(view.get('alert').textContent).toContain('No device waits with this code.');
    expect(canApprove()).toBe(false);
  });

  // Fails when the button does nothing the second time, because the code is the same.
  test('that couldn’t be looked up can be tried again as it is', async () => {
    let attempts = 0;
    const answer = () => {
      if (attempts++ === 0) throw createError('too_many_requests', 'Too many attempts.');
      return { device_name: 'laptop' };
    };
    const { view, type, goOn, canApprove } = await open({ [LOOK]: answer });
    await type('ABCD');
    await goOn();
    expect(view.get('alert').textContent).toContain('Too many attempts.');
    await goOn();
    expect([view.sent(LOOK).length, canApprove()]).toEqual([2, true]);
  });
});

// Fails when a decision that the server refused counts as made.
test('a decision that failed can be made again', async () => {
  let attempts = 0;
  const decide = () => {
    if (attempts++ === 0) throw createError('unavailable', 'Not now.');
    return {};
  };
  const { view, type, goOn } = await open({ [DECIDE]: decide });
  await type('ABCD');
  await goOn();
  await view.click(view.get('button', say('device.approve')));
  expect(view.get('alert').textContent).toContain('Not now.');
  await view.click(view.get('button', say('device.approve')));
  expect(view.get('status', say('device.approved'))).toBeDefined();
});
