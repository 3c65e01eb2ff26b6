// @vitest-environment happy-dom
import { createError, type Member } from '@berth/contract';
import { createElement } from 'react';
import { describe, expect, test } from 'vitest';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { type OpenSetup, OWNER, openView, say } from '../../testing/open-view.ts';
import { PeoplePage } from './people-page.tsx';

const CHANGE = 'POST /v1/user/members';
const REMOVE = 'DELETE /v1/user/members';
const INVITE = 'POST /v1/user/invites';
const LEAVE = 'POST /v1/user/leave';

const member = (user_id: string, name: string, role: string, is_you = false) =>
  ({ user_id, name, role, is_you, email: `${user_id}@example.com`, joined_at: '2026-01-01T00:00:00Z' }) as Member;
const MEMBERS = [member('ada', 'Ada', 'owner', true), member('bob', 'Bob', 'admin'), member('cy', 'Cy', 'member')];

async function open(user: object = OWNER, answers: OpenSetup['answers'] = {}) {
  return openView(createElement(PeoplePage), {
    address: '/people',
    cached: [[QUERY_KEYS.user, user]],
    answers: { 'GET /v1/user/members': () => MEMBERS, 'GET /v1/user/invites': () => [], ...answers },
  });
}

type View = Awaited<ReturnType<typeof open>>;

/** Chooses a role for a member, which opens the question. */
async function chooseRole(view: View, name: string, role: 'owner' | 'admin' | 'member') {
  await view.click(view.get('combobox', `${say('people.role')}: ${name}`));
  await view.click(view.get('option', say(`people.role.${role}`)));
}

/** Clicks “Remove” in the row of the n-th member besides the person. */
async function remove(view: View, index: number) {
  const button = view.all('button', new RegExp(`^${say('people.remove')}`))[index];
  if (!button) throw new Error('no button');
  await view.click(button);
}

describe('a password', () => {
  const RESET = 'POST /v1/user/members/reset-password';

  // Fails when a link is made without a question, for another person, or isn't shown.
  test('is reset with a link that is shown once', async () => {
    const view = await open(OWNER, { [RESET]: () => ({ link: 'http://berth.test/reset-password#s3cret' }) });
    expect(view.find('button', say('people.reset', { name: 'Ada' }))).toBeUndefined();
    await view.click(view.get('button', say('people.reset', { name: 'Cy' })));
    expect(view.sent(RESET)).toEqual([]);
    expect(view.text()).toContain(say('people.reset.text', { name: 'Cy' }));
    await view.click(view.get('button', say('people.invite.create')));
    expect(view.sent(RESET)).toEqual([{ user: 'cy' }]);
    expect(view.text()).toContain('http://berth.test/reset-password#s3cret');
  });

  test('is reset by owners only', async () => {
    const view = await open({ ...OWNER, role: 'admin' });
    expect(view.find('button', say('people.reset', { name: 'Cy' }))).toBeUndefined();
  });
});

describe('a role', () => {
  // Fails when a choice in a list changes it at once, or changes another member's.
  test('is changed only after a question', async () => {
    const view = await open(OWNER, { [CHANGE]: () => ({}) });
    await chooseRole(view, 'Cy', 'owner');
    expect(view.sent(CHANGE)).toEqual([]);
    expect(view.get('dialog', say('people.change.owner', { name: 'Cy' })).textContent).toContain(
      say('people.role.owner.may'),
    );
    await view.click(view.get('button', say('people.change')));
    expect(view.sent(CHANGE)).toEqual([{ user_id: 'cy', role: 'owner' }]);
    expect(view.sent('GET /v1/user/members')).toHaveLength(2);
  });

  test('that the server refuses to change stays, with the reason', async () => {
    const refuse = () => {
      throw createError('conflict', 'The last owner stays one.');
    };
    const view = await open(OWNER, { [CHANGE]: refuse });
    await chooseRole(view, 'Ada', 'member');
    await view.click(view.get('button', say('people.change')));
    expect(view.get('alert').textContent).toContain('The last owner stays one.');
    expect(view.find('dialog', say('people.change.member', { name: 'Ada' }))).toBeDefined();
  });

  // Fails when an admin is offered what only an owner may do.
  test('of an owner is no choice for an admin', async () => {
    const view = await open({ ...OWNER, role: 'admin' });
    expect(view.all('combobox').map((box) => box.textContent)).toEqual([
      say('people.role.admin'),
      say('people.role.member'),
    ]);
    await view.click(view.get('combobox', `${say('people.role')}: Cy`));
    expect(view.all('option').map((option) => option.textContent)).toEqual(
      expect.not.arrayContaining([say('people.role.owner')]),
    );
  });

  test('is only text for members', async () => {
    const view = await open({ ...OWNER, role: 'member', scopes: ['read'] });
    expect(view.all('combobox')).toEqual([]);
    expect(view.all('button', new RegExp(say('people.remove')))).toEqual([]);
    expect(view.find('button', say('people.invite'))).toBeUndefined();
  });
});

describe('a member', () => {
  // Fails when another member than the one in the question is removed.
  test('is removed after a question that names them', async () => {
    const view = await open(OWNER, { [REMOVE]: () => ({}) });
    await remove(view, 1);
    expect(view.get('alertdialog', say('people.remove.title', { name: 'Cy' }))).toBeDefined();
    await view.click(view.get('button', say('people.remove')));
    expect(view.sent(REMOVE)).toEqual([{ user_id: 'cy' }]);
    expect(view.text()).toContain(say('people.removed', { name: 'Cy' }));
  });

  test('stays when the question is left', async () => {
    const view = await open(OWNER, { [REMOVE]: () => ({}) });
    await remove(view, 0);
    await view.press('Escape');
    expect(view.sent(REMOVE)).toEqual([]);
  });
});

describe('leaving', () => {
  // Fails when the account that was left is still the one that is asked for, or its data is still shown.
  test('ends in the person’s first account', async () => {
    const view = await open(OWNER, { [LEAVE]: () => ({}) });
    view.api.accountChoice.choose('acc_1');
    await view.click(view.get('button', say('people.leave')));
    expect(view.sent(LEAVE)).toEqual([]);
    await view.click(view.get('button', say('people.leave')));
    expect(view.sent(LEAVE)).toHaveLength(1);
    expect([view.api.accountChoice.id, view.address()]).toEqual([undefined, '/deployments']);
    expect(view.text()).toContain(say('people.left', { account: 'Acme' }));
  });

  // Fails when the choice is dropped before the server has agreed.
  test('that is refused changes nothing', async () => {
    const refuse = () => {
      throw createError('conflict', 'You are the last owner.');
    };
    const view = await open(OWNER, { [LEAVE]: refuse });
    view.api.accountChoice.choose('acc_1');
    await view.click(view.get('button', say('people.leave')));
    await view.click(view.get('button', say('people.leave')));
    expect(view.get('alert').textContent).toContain('You are the last owner.');
    expect([view.api.accountChoice.id, view.address()]).toEqual(['acc_1', '/people']);
  });
});

describe('an invitation', () => {
  const LINK = 'http://berth.test/join#berth_invite_1';

  // Fails when an empty address is sent, which the server would refuse, or the default is more than a member.
  test('is for anybody as a member, unless more is said', async () => {
    const view = await open(OWNER, { [INVITE]: () => ({ link: LINK }) });
    await view.click(view.get('button', say('people.invite')));
    await view.click(view.get('button', say('people.invite.create')));
    expect(view.sent(INVITE)).toEqual([{ role: 'member' }]);
  });

  // Fails when the link is lost by a stray key: it can't be shown again.
  test('shows its link until the person says that they have it', async () => {
    const view = await open(OWNER, { [INVITE]: () => ({ link: LINK }) });
    await view.click(view.get('button', say('people.invite')));
    await view.fill(view.field(say('signIn.email')), 'dee@example.com');
    await view.press('Enter');
    expect(view.sent(INVITE)).toEqual([{ role: 'member', email: 'dee@example.com' }]);
    await view.press('Escape');
    expect(view.get('dialog', say('people.invite.made.title')).textContent).toContain(LINK);
    await view.click(view.get('button', say('keys.done')));
    expect(view.text()).not.toContain(LINK);
  });

  test('is taken back after a question that says whose it is', async () => {
    const invites = [
      { id: 'inv_1', email: null, role: 'member', expires_at: '2026-02-01T00:00:00Z' },
      { id: 'inv_2', email: 'dee@example.com', role: 'admin', expires_at: '2026-02-01T00:00:00Z' },
    ];
    const REVOKE = 'DELETE /v1/user/invites';
    const view = await open(OWNER, { 'GET /v1/user/invites': () => invites, [REVOKE]: () => ({}) });
    const [, second] = view.all('button', new RegExp(`^${say('people.invites.revoke')}`));
    if (!second) throw new Error('no button');
    await view.click(second);
    expect(view.get('alertdialog').textContent).toContain('dee@example.com');
    await view.click(view.get('button', say('people.invites.revoke')));
    expect(view.sent(REVOKE)).toEqual([{ id: 'inv_2' }]);
  });
});
