import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentOptions } from '../compose/agent-options.ts';
import { openTestAgent, type TestAgent } from '../testing/open-test-agent.ts';
import { type AskWorkspaces, askWorkspaces } from './testing/ask-workspaces.ts';

let fixture: TestAgent;
let ask: AskWorkspaces;
beforeAll(async () => {
  fixture = await openTestAgent({ workspaces: 'member' });
  ask = askWorkspaces(fixture.url);
});
afterAll(() => fixture[Symbol.asyncDispose]());

const create = (body: unknown) => ask('bob.acme', 'POST', '/workspaces', body);

// Holds the agent to the contract: verifies('workspace.create')
describe('a name', () => {
  it.each([
    ['x', 'x'],
    ['  Team\t', 'Team'],
    ['Zoe\u0308', 'Zo\u00eb'],
    ['👩‍👩‍👧 family', '👩‍👩‍👧 family'],
    ['می‌خواهم', 'می‌خواهم'],
    ['😀'.repeat(80), '😀'.repeat(80)],
    ['<b>&"\'/\\', '<b>&"\'/\\'],
    ['Generals', 'Generals'],
  ])('%j reads back as %j', async (name, expected) => {
    expect((await create({ name })).body).toMatchObject({ name: expected });
  });

  it.each([
    ...['', '   ', '\u200b', '\u3164', '\u200d', 'x'.repeat(81), '😀'.repeat(81)],
    ...['a\0b', 'a\nb', 'a\u007fb', 'a\u202eb', 'a\u2066b', 'a\u200bb', 'a\u2028b', 'a\ufeffb', '\ud800'],
  ])('is not %j', async (name) => {
    const { status, body } = await create({ name });
    expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining('"body","name"')]);
  });

  it.each([{}, { name: null }, { name: 7 }, { name: ['x'] }, [], null, 'x'])('is not what %j has', async (body) => {
    expect((await create(body)).status).toBe(body === 'x' ? 415 : 422);
  });

  it.each([...['General', 'GENERAL', ' general ', 'Ｇeneral', 'Gene\u200dral', 'Personal', 'personal', 'PERSONAL']])(
    '%j is taken',
    async (name) => {
      expect((await create({ name })).status).toBe(409);
    },
  );
});

// Holds the agent to the contract: verifies('workspace.create')
describe('an icon', () => {
  it.each([
    ['🚀', '🚀'],
    ['👩🏽‍🚀', '👩🏽‍🚀'],
    ['🏴󠁧󠁢󠁳󠁣󠁴󠁿', '🏴󠁧󠁢󠁳󠁣󠁴󠁿'],
    ['1️⃣', '1️⃣'],
    ['', undefined],
    [null, undefined],
  ])('%j reads back as %j', async (icon, expected) => {
    const { body } = await create({ name: 'Team', icon });
    expect((body as { icon?: string }).icon).toBe(expected);
  });

  it.each(['🚀🚀', 'x', '1', ' 🚀', '<svg/>', '🚀'.repeat(1_000), 7, {}])('is not %j', async (icon) => {
    expect((await create({ name: 'Team', icon })).status).toBe(422);
  });

  it('goes and comes by PATCH, which changes what it names', async () => {
    const { body } = await create({ name: 'Team', icon: '🚀' });
    const target = `/workspaces/${(body as { id: string }).id}`;
    const patch = async (change: unknown) => (await ask('bob.acme', 'PATCH', target, change)).body;
    expect(await patch({ name: ' New ' })).toMatchObject({ name: 'New', icon: '🚀' });
    expect(await patch({ icon: null })).toEqual(expect.not.objectContaining({ icon: expect.anything() }));
    for (const change of [{}, { name: '' }, { icon: 'x' }, { name: 'Good', icon: 'x' }]) {
      expect((await ask('bob.acme', 'PATCH', target, change)).status).toBe(422);
    }
    expect((await ask('bob.acme', 'PATCH', target, { name: 'personal' })).status).toBe(409);
    expect(await patch({ icon: '🌱' })).toMatchObject({ name: 'New', icon: '🌱' });
  });
});

describe('the option workspaces', () => {
  it('is told to whoever asks for the configuration', async () => {
    const configOf = async (of: TestAgent) =>
      ((await (await of.call(undefined, 'GET', '/config')).json()) as { workspaces: unknown }).workspaces;
    expect(await configOf(fixture)).toBe('member');
    expect(await (await fixture.call(undefined, 'GET', '/llms.txt')).text()).toContain(
      '/workspaces): The caller’s teams',
    );
  });

  it.each<[Partial<AgentOptions> & { hasAuth?: boolean }, RegExp]>([
    [{ workspaces: 'everybody' as 'member' }, /workspaces: 'member' or workspaces: 'admin'/],
    [{ workspaces: true as never }, /workspaces: 'member' or workspaces: 'admin'/],
    [{ workspaces: 'member', hasAuth: false }, /workspaces requires auth/],
  ])('is refused at the start as %j', async (options, reason) => {
    await expect(openTestAgent(options)).rejects.toThrow(reason);
  });
});
