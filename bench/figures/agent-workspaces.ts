import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { startMeasuredAgent } from '../agents/measured-agent.ts';
import { type BenchOptions, type BenchResult, figure } from '../figure.ts';
import { quantile, roundTo } from '../statistics.ts';

const TEAMS = 10_000;
const ROUNDS = 200;
const USER = 'load';

/** A person in very many teams: their list, and what a request costs more that names one of them. */
export async function measureAgentWorkspaces({ isTenth, say }: BenchOptions): Promise<BenchResult> {
  await using agent = await startMeasuredAgent({ workspaces: 'member' });
  const token = await agent.token(USER);
  const get = async (target: string, workspace?: string) => {
    const startMs = performance.now();
    const headers = { authorization: `Bearer ${token}`, ...(workspace !== undefined && { 'x-workspace': workspace }) };
    const response = await fetch(agent.url + target, { headers });
    const body: unknown = await response.json();
    if (response.status !== 200) throw new Error(`${target} answered ${response.status}`);
    return { ms: performance.now() - startMs, body };
  };
  await get('/workspaces');
  const teams = isTenth ? TEAMS / 10 : TEAMS;
  addTeams(path.join(agent.dataFolder, '.db', 'agent.sqlite'), teams);
  const rounds = isTenth ? ROUNDS / 10 : ROUNDS;
  const listMs: number[] = [];
  const personalMs: number[] = [];
  const teamMs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const { ms, body } = await get('/workspaces');
    if ((body as unknown[]).length !== teams + 1) throw new Error('teams are missing in the list');
    listMs.push(ms);
    personalMs.push((await get('/tools')).ms);
    teamMs.push((await get('/tools', `t-load${round}`)).ms);
  }
  const median = (times: number[]) => quantile(times, 0.5);
  say(`list of ${teams} teams: p50 ${roundTo(median(listMs), 1)} ms, p99 ${roundTo(quantile(listMs, 0.99), 1)} ms`);
  say(`a request: p50 ${roundTo(median(personalMs), 2)} ms, in a team ${roundTo(median(teamMs), 2)} ms`);
  return {
    figures: [
      figure(`list of ${teams} teams, p99`, quantile(listMs, 0.99), 'ms', { target: 50 }),
      figure('what X-Workspace adds to a request, p50', median(teamMs) - median(personalMs), 'ms'),
    ],
    notes: [
      'Times are a client’s on loopback, tokens checked, the JSON parsed; the agent keeps its data in SQLite.',
      ...(isTenth ? ['At a tenth: 1,000 teams.'] : []),
    ],
  };
}

/** Puts the user into teams of others, in the database of a running agent. */
function addTeams(file: string, count: number): void {
  const database = new DatabaseSync(file);
  try {
    const team = database.prepare(
      `INSERT INTO workspaces (tenant, id, name, created_at, created_by, is_purged) VALUES ('', ?, ?, ?, 'other', 0)`,
    );
    const member = database.prepare(
      `INSERT INTO workspace_members (tenant, workspace_id, user_id, role, added_by, added_at)
       VALUES ('', ?, ?, 'editor', 'other', ?)`,
    );
    database.exec('BEGIN IMMEDIATE');
    for (let index = 0; index < count; index++) {
      team.run(`t-load${index}`, `Team ${index}`, index);
      member.run(`t-load${index}`, USER, index);
    }
    database.exec('COMMIT');
  } finally {
    database.close();
  }
}
