// @vitest-environment happy-dom
import type { Person, WorkspaceMember } from '@berth/contract/agent';
import { createElement } from 'react';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../api/api.ts';
import { createFakeAgent } from '../../testing/fake-agent.ts';
import { openScreen, t } from '../../testing/open-screen.ts';
import { MemberList } from './member-list.tsx';
import { createTeam } from './team.ts';

const member = (id: string, role: WorkspaceMember['role']) => ({ user_id: id, role }) as WorkspaceMember;

/** The members of a team, as the person `me` sees them. */
async function open(members: readonly WorkspaceMember[], { isGeneral = false, mayManage = true } = {}) {
  const agent = createFakeAgent();
  const team = createTeam(agent, 't1');
  /** Answers the next reading of the team. */
  const has = (...now: readonly WorkspaceMember[]) => {
    agent.on('GET /workspace', { id: 't1', name: 'Kitchen', role: 'owner' });
    agent.on('GET /workspaces/t1/members', now);
    agent.on('GET /me', { user_id: 'me' });
  };
  /** Answers the next search for people, and the one of the emptied field. */
  const finds = (query: string, ...people: readonly Person[]) => {
    for (let count = 0; count < 4; count++) agent.on(`GET /people?q=${encodeURIComponent(query)}`, people);
  };
  for (const id of ['', 'usr-2', 'nobody', 'b']) finds(id);
  has(...members);
  await team.refresh();
  const screen = await openScreen(createElement(MemberList, { team, isGeneral, mayManage }));
  const field = () => screen.get('textbox');
  const submit = () => screen.fire(screen.get('form'), 'submit');
  const changes = () => agent.calls.filter(({ call }) => !call.startsWith('GET'));
  return { ...screen, agent, changes, field, finds, answers: has, submit };
}

describe('the members of a team', () => {
  it('are added by their user ID, which leaves the field once they are there', async () => {
    const { agent, answers, changes, field, submit, text, type } = await open([member('me', 'owner')]);
    agent.on('PUT /workspaces/t1/members/usr-2', { ok: true });
    answers(member('me', 'owner'), member('usr-2', 'editor'));
    await type(field(), ' usr-2 ');
    await submit();
    expect(changes()).toEqual([{ call: 'PUT /workspaces/t1/members/usr-2', body: { role: 'editor' } }]);
    expect([field().value, text().includes('usr-2')]).toEqual(['', true]);
  });

  it('are found by name or e-mail address, and shown with both', async () => {
    const { agent, answers, changes, field, finds, get, submit, text, type } = await open([member('me', 'owner')]);
    const ann = { user_id: 'usr-9', name: 'Ann Lee', email: 'ann@example.com' };
    const joanna = { user_id: 'usr-8', name: 'Joanna Lee', email: 'jo@example.com' };
    for (const q of ['ann', 'Lee']) finds(q, ann, joanna);
    finds(' ann lee ', ann);
    finds('ann lee', ann);
    finds('eve@example.com');
    await type(field(), 'ann');
    const shown = [...field().ownerDocument.querySelectorAll('datalist option')];
    expect(shown.map((option) => option.getAttribute('value'))).toEqual(['ann@example.com', 'jo@example.com']);
    await submit();
    expect(get('alert').textContent).toBe(t('team.manyPeople', { text: 'ann' }));
    await type(field(), 'eve@example.com');
    await submit();
    expect([get('alert').textContent, changes()]).toEqual([t('team.noPerson', { text: 'eve@example.com' }), []]);
    agent.on('PUT /workspaces/t1/members/usr-9', { ok: true });
    answers(member('me', 'owner'), { ...member('usr-9', 'editor'), ...ann });
    await type(field(), ' ann lee ');
    await submit();
    expect(changes().map(({ call }) => call)).toEqual(['PUT /workspaces/t1/members/usr-9']);
    expect(text()).toContain('Ann Lee');
    expect(text()).toContain('ann@example.com');
    expect(text()).not.toContain('usr-9');
  });

  // Fails when the field is emptied in each case: the ID would have to be typed again.
  it('that could not be added stay in the field, with the reason', async () => {
    const { agent, field, get, has, submit, type, answers } = await open([member('me', 'owner')]);
    agent.on('PUT /workspaces/t1/members/nobody', new ApiError(404, 'No such person.'), { ok: true });
    await type(field(), 'nobody');
    await submit();
    expect([field().value, get('alert').textContent]).toEqual(['nobody', 'No such person.']);
    answers(member('me', 'owner'), member('nobody', 'editor'));
    await submit();
    expect([field().value, has('alert')]).toEqual(['', false]);
  });

  it('are removed, but never the owner', async () => {
    const { agent, answers, changes, has, press } = await open([member('me', 'owner'), member('b', 'editor')]);
    expect(has('button', t('team.remove', { name: 'me' }))).toBe(false);
    agent.on('DELETE /workspaces/t1/members/b', { ok: true });
    answers(member('me', 'owner'));
    await press(t('team.remove', { name: 'b' }));
    expect(changes().map(({ call }) => call)).toEqual(['DELETE /workspaces/t1/members/b']);
    expect(has('button', t('team.remove', { name: 'b' }))).toBe(false);
  });

  it('that could not be removed stay, with the reason', async () => {
    const { agent, get, has, press } = await open([member('b', 'editor')]);
    agent.on('DELETE /workspaces/t1/members/b', new ApiError(403, 'Only admins may do this.'));
    await press(t('team.remove', { name: 'b' }));
    expect([get('alert').textContent, has('button', t('team.remove', { name: 'b' }))]).toEqual([
      ...['Only admins may do this.', true],
    ]);
  });

  it('are only read by who may not manage them', async () => {
    const { all, has, text } = await open([member('a', 'admin'), member('me', 'editor')], { mayManage: false });
    expect(all('button', t('team.remove', { name: 'a' }))).toEqual([]);
    expect([has('form'), text().includes(t('team.role.admin')), text().includes(t('team.you'))]).toEqual([
      ...[false, true, true],
    ]);
  });
});

describe('General', () => {
  it('excludes people, and lets them in again', async () => {
    const { agent, answers, changes, field, press, submit, type } = await open([], { isGeneral: true });
    agent.on('DELETE /workspaces/t1/members/b', { ok: true });
    agent.on('PUT /workspaces/t1/members/b', { ok: true });
    answers(member('b', 'excluded'));
    await type(field(), 'b');
    await submit();
    answers();
    await press(t('team.letIn', { name: 'b' }));
    expect(changes()).toEqual([
      { call: 'DELETE /workspaces/t1/members/b', body: undefined },
      { call: 'PUT /workspaces/t1/members/b', body: { role: 'editor' } },
    ]);
  });
});
