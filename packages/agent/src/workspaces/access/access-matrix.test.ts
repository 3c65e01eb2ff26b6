import type { WorkspaceRole } from '@berth/contract/agent';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CALLERS, type Caller, type Matrix, openMatrix, RANDOM } from './testing/open-matrix.ts';
import { IN_WORKSPACE, OF_PERSON, OF_WORKSPACE, type OperationSample } from './testing/operations.ts';

const MALFORMED = ['', 't-', 'T-SHARED', 't-../x', 'personal', 'u-', `t-${'x'.repeat(5_000)}`, "t-' or 1=1"];
const [OLGA] = CALLERS as [Caller];
/** One caller of each kind: in their personal workspaces all members have the same rights. */
const ELSEWHERE = CALLERS.filter(({ name }) => ['carol', 'rhea', 'noah'].includes(name));

let matrix: Matrix;
beforeAll(async () => {
  matrix = await openMatrix();
});
afterAll(() => matrix?.[Symbol.asyncDispose]());

/** Workspaces that the caller isn't in: another person's, a foreign team, a deleted one… */
function closedTo({ name, role, isOrgAdmin, inGeneral }: Caller): readonly string[] {
  const { own, ofOrg, foreign, deleted } = matrix.teams;
  return [
    ...[name === 'olga' ? 'u-edna' : 'u-olga', foreign, deleted],
    ...(isOrgAdmin ? [] : [ofOrg]),
    ...(role ? [] : [own]),
    ...(inGeneral ? [] : ['t-shared']),
  ];
}

/** Other workspaces that the caller is in, with their role there. */
function openTo({ name, isOrgAdmin, inGeneral }: Caller): readonly (readonly [string, WorkspaceRole])[] {
  return [
    [`u-${name}`, 'owner'],
    ...(inGeneral ? ([['t-shared', inGeneral]] as const) : []),
    ...(isOrgAdmin ? ([[matrix.teams.ofOrg, 'admin']] as const) : []),
  ];
}

// Holds the agent to the contract: verifies('workspace.matrix')
describe('every operation of the agent', () => {
  it('is in the matrix: in a workspace, of a workspace or of a person', () => {
    const known = Object.keys({ ...IN_WORKSPACE, ...OF_WORKSPACE, ...OF_PERSON });
    expect(matrix.operations.size).toBeGreaterThan(50);
    expect([...matrix.operations.keys()].sort()).toEqual(known.sort());
    const said = [...matrix.operations].filter(([, { hasWorkspace }]) => hasWorkspace).map(([id]) => id);
    expect(said.sort()).toEqual(Object.keys(IN_WORKSPACE).sort());
  });

  it('answers for a workspace that the caller is not in as for one that nobody has, and does nothing', async () => {
    const before = await matrix.kept();
    expect(Object.keys(before)).toEqual(expect.arrayContaining(['messages', 'workspaces', 'connector_grants']));
    const answered = new Set<string>();
    for (const [id, sample] of Object.entries({ ...IN_WORKSPACE, ...OF_WORKSPACE })) {
      const random = await matrix.call(OLGA, id, sample, RANDOM);
      expect([id, random.status]).toEqual([id, 404]);
      answered.add(JSON.parse(random.text).detail);
      for (const caller of CALLERS) {
        for (const workspace of closedTo(caller)) {
          const answer = await matrix.call(caller, id, sample, workspace);
          expect([id, caller.name, workspace, answer]).toEqual([id, caller.name, workspace, random]);
        }
      }
    }
    expect([...answered]).toEqual(['No such workspace.']);
    expect(await matrix.kept()).toEqual(before);
  });

  it('refuses what is no id, and two of them', async () => {
    const before = await matrix.kept();
    const { own } = matrix.teams;
    const doubled = [`${own}, ${own}`, `${own},u-olga`, `u-olga, ${RANDOM}`];
    for (const [id, sample] of Object.entries(IN_WORKSPACE)) {
      for (const workspace of [...MALFORMED, ...doubled]) {
        const { status } = await matrix.call(OLGA, id, sample, workspace);
        expect([id, workspace, status]).toEqual([id, workspace, 404]);
      }
    }
    expect(await matrix.kept()).toEqual(before);
  });

  it('works where the caller is, as far as their role goes, and shows nothing of another workspace', async () => {
    const wrong: unknown[] = [];
    const check = async (caller: Caller, id: string, sample: OperationSample, place: string, expected: number) => {
      const { status, text } = await matrix.call(caller, id, sample, place);
      if (status !== expected || text.includes('No such workspace')) wrong.push([id, caller.name, place, status, text]);
    };
    for (const [id, sample] of Object.entries(IN_WORKSPACE)) {
      const { refused = {}, elsewhere, inside } = sample;
      for (const caller of ELSEWHERE) {
        for (const [place, role] of openTo(caller)) await check(caller, id, sample, place, refused[role] ?? elsewhere);
      }
      for (const caller of CALLERS) {
        if (caller.role) await check(caller, id, sample, matrix.teams.own, refused[caller.role] ?? inside);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('on a workspace goes as far as the role does in it, wherever the caller works', async () => {
    const wrong: unknown[] = [];
    const check = async (caller: Caller, id: string, sample: OperationSample, workspace: string, expected: number) => {
      const { status, text } = await matrix.call(caller, id, sample, workspace);
      if (status !== expected) wrong.push([id, caller.name, workspace, status, text]);
    };
    for (const [id, sample] of Object.entries(OF_WORKSPACE)) {
      const { refused = {}, elsewhere, inside, isOwners = false } = sample;
      for (const caller of CALLERS) {
        const { name, role, isOrgAdmin = false } = caller;
        await check(caller, id, sample, `u-${name}`, elsewhere);
        const team = id === 'deleteWorkspace' ? matrix.teams.doomed[name] : matrix.teams.own;
        if (!role || team === undefined) continue;
        const isRefused = isOwners && role !== 'owner' && !isOrgAdmin;
        await check(caller, id, sample, team, isRefused ? 403 : (refused[role] ?? inside));
      }
    }
    for (const [id, sample] of Object.entries(OF_PERSON)) {
      for (const caller of CALLERS) await check(caller, id, sample, matrix.teams.deleted, sample.inside);
    }
    expect(wrong).toEqual([]);
  });
});
