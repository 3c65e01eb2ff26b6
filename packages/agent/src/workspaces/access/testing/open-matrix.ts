import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { key } from '@berth/agent-connectors';
import type { AgentEnv } from '@berth/agent-core';
import type { Workspace, WorkspaceRole } from '@berth/contract/agent';
import { createIdSource, createSilentLogger, createSystemClock } from '@berth/kit';
import { Hono } from 'hono';
import { type OpenAgent, openAgent } from '../../../compose/open-agent.ts';
import { agentOpenApiDocument } from '../../../compose/openapi-document.ts';
import { createTaskDefinitions } from '../../../tasks/task-definitions.ts';
import { testAuth } from '../../../testing/test-auth.ts';
import type { OperationSample } from './operations.ts';

/** A user who calls the agent. */
export interface Caller {
  readonly name: string;
  readonly token: string;
  /** Role in Olga's team. */
  readonly role?: WorkspaceRole;
  /** Role in General of their organization. */
  readonly inGeneral?: WorkspaceRole;
  readonly isOrgAdmin?: true;
}

const OLGA: Caller = { name: 'olga', token: 'olga.acme', role: 'owner', inGeneral: 'editor' };

/** Callers with every role, former members and strangers. */
export const CALLERS: readonly Caller[] = [
  OLGA,
  { name: 'adam', token: 'adam.acme', role: 'admin', inGeneral: 'editor' },
  { name: 'edna', token: 'edna.acme', role: 'editor', inGeneral: 'editor' },
  { name: 'carol', token: 'carol.acme.admin', role: 'admin', inGeneral: 'admin', isOrgAdmin: true },
  // A former member of the team.
  { name: 'rhea', token: 'rhea.acme', inGeneral: 'editor' },
  { name: 'sten', token: 'sten.acme', inGeneral: 'editor' },
  // A member of another organization, which has its own General.
  { name: 'xena', token: 'xena.other', inGeneral: 'editor' },
  { name: 'noah', token: 'noah' },
];

/** A well-formed id of a team that doesn't exist. */
export const RANDOM = 't-01jzzzzzzzzzzzzzzzzzzzzzzz';

/** The status and body of a response. */
export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** An operation of the agent's OpenAPI document. */
export interface Operation {
  readonly method: string;
  /** True when the operation declares `X-Workspace`. */
  readonly hasWorkspace: boolean;
}

/** An agent with a team that has one of each kind of data, for sequential calls. */
export interface Matrix extends AsyncDisposable {
  /** Operations of the OpenAPI document that need a token, by operation id. */
  readonly operations: ReadonlyMap<string, Operation>;
  readonly teams: {
    /** Olga's team, with Adam as an admin and Edna as an editor. */
    readonly own: string;
    /** Teams without any of the callers: `ofOrg` in their organization, `foreign` in another. */
    readonly ofOrg: string;
    readonly foreign: string;
    readonly deleted: string;
    /** Copies of `own` by caller name, each for that caller to delete. */
    readonly doomed: Readonly<Record<string, string>>;
  };
  /** Calls an operation as its sample describes, in `workspace` or on it where the sample's target names it. */
  call(caller: Caller, id: string, sample: OperationSample, workspace: string): Promise<Answer>;
  /** Returns hashes of everything that the agent stores: tables and files. */
  kept(): Promise<Readonly<Record<string, string>>>;
}

interface AskOptions {
  readonly workspace?: string;
  readonly body?: unknown;
}

/** Starts an agent with the data of the matrix. */
export async function openMatrix(): Promise<Matrix> {
  const folder = await mkdtemp(path.join(tmpdir(), 'agent-matrix-'));
  const agent = await open(folder);

  const ask = async ({ token }: Caller, method: string, target: string, options: AskOptions = {}): Promise<Answer> => {
    const { workspace, body } = options;
    const isJson = body !== undefined && body?.constructor === Object;
    const answer = await agent.app.request(`http://localhost${target}`, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        ...(isJson && { 'Content-Type': 'application/json' }),
        ...(workspace !== undefined && { 'X-Workspace': workspace }),
      },
      ...(body !== undefined && { body: isJson ? JSON.stringify(body) : (body as BodyInit) }),
    });
    return { status: answer.status, text: await answer.text() };
  };
  const get = async <Value>(caller: Caller, method: string, target: string, options?: AskOptions): Promise<Value> => {
    const { status, text } = await ask(caller, method, target, options);
    if (status !== 200) throw new Error(`${method} ${target} of ${caller.name}: ${status} ${text}`);
    return JSON.parse(text) as Value;
  };
  const makeTeam = async (token: string, name: string) =>
    (await get<Workspace>({ name: token, token }, 'POST', '/workspaces', { body: { name } })).id;
  const makeOlgasTeam = async (name: string): Promise<string> => {
    const id = await makeTeam(OLGA.token, name);
    const members = `/workspaces/${id}/members`;
    await get(OLGA, 'PUT', `${members}/adam`, { body: { role: 'admin' } });
    for (const editor of ['edna', 'rhea']) await get(OLGA, 'PUT', `${members}/${editor}`, { body: { role: 'editor' } });
    await get(OLGA, 'DELETE', `${members}/rhea`);
    return id;
  };
  /** Creates the data that a caller's samples reference in a team. Returns the values of their placeholders. */
  const prepare = async (caller: Caller, workspace: string): Promise<Readonly<Record<string, string>>> => {
    const body = { messages: [{ role: 'user', content: 'hi' }] };
    const trashed: string[] = [];
    for (const file of ['read', 'moved', 'restored', 'purged']) {
      await get(OLGA, 'PUT', `/files/${caller.name}/${file}.txt`, { workspace, body: 'ours' });
    }
    for (const file of ['restored', 'purged']) {
      const target = `/files/${caller.name}/${file}.txt`;
      trashed.push((await get<{ trash_id: string }>(OLGA, 'DELETE', target, { workspace })).trash_id);
    }
    await get(OLGA, 'PUT', `/apps/app/data/${caller.name}`, { workspace, body: { of: 'all' } });
    await ask(OLGA, 'POST', `/?id=shared-${caller.name}`, { workspace, body });
    const shared = { workspace, body: { path: `chat/shared-${caller.name}` } };
    const { token } = await get<{ token: string }>(OLGA, 'POST', '/share', shared);
    if (caller.role) await ask(caller, 'POST', '/?id=ran', { workspace, body });
    const [restored = '', purged = ''] = trashed;
    return { name: caller.name, team: workspace, token, restored, purged };
  };

  for (const caller of CALLERS) await get(caller, 'GET', '/workspaces');
  const [own, ofOrg] = [await makeOlgasTeam('Team'), await makeTeam('zoe.acme', 'Of others')];
  const [foreign, deleted] = [await makeTeam('yuri.other', 'Of others'), await makeOlgasTeam('Deleted')];
  await get(OLGA, 'DELETE', `/workspaces/${deleted}`);
  const values: Record<string, Readonly<Record<string, string>>> = {};
  const doomed: Record<string, string> = {};
  for (const caller of CALLERS) values[caller.name] = await prepare(caller, own);
  for (const { name, role } of CALLERS) if (role) doomed[name] = await makeOlgasTeam(`Doomed ${name}`);
  const operations = operationsOf(agent);

  return {
    operations,
    teams: { own, ofOrg, foreign, deleted, doomed },
    call(caller, id, { target, body }, workspace) {
      const known: Readonly<Record<string, string>> = {
        ...values[caller.name],
        workspace: encodeURIComponent(workspace),
      };
      const fill = (text: string) => text.replaceAll(/\{(\w+)\}/g, (_all, name: string) => known[name] ?? `no-${name}`);
      const { method } = operations.get(id) as Operation;
      return ask(caller, method, fill(target), {
        workspace: target.includes('{workspace}') ? RANDOM : workspace,
        ...(typeof body === 'function' ? { body: body() } : body && { body: JSON.parse(fill(JSON.stringify(body))) }),
      });
    },
    kept: () => readAll(folder),
    async [Symbol.asyncDispose]() {
      await agent.drain(0);
      await agent.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function open(dataFolder: string): Promise<OpenAgent> {
  const crm = key({
    name: 'crm',
    title: 'CRM',
    description: 'Contacts',
    scope: 'either',
    api: { baseUrl: 'https://crm.example/' },
  });
  const definitions = createTaskDefinitions();
  definitions.task('work', {}, () => {});
  return openAgent(
    {
      name: 'matrix',
      auth: testAuth(),
      dataFolder,
      workspaces: 'member',
      connectors: [crm],
      async *handler({ workspace }) {
        yield `in ${workspace.id}`;
      },
    },
    {
      environment: {},
      workingFolder: dataFolder,
      clock: createSystemClock(),
      ids: createIdSource(),
      logger: createSilentLogger(),
      onEndSignal: () => () => {},
    },
    new Hono<AgentEnv>(),
    definitions,
  );
}

function operationsOf({ app }: OpenAgent): ReadonlyMap<string, Operation> {
  interface Described {
    readonly operationId?: string;
    readonly security?: readonly unknown[];
    readonly parameters?: readonly { readonly name?: string }[];
  }
  const operations = new Map<string, Operation>();
  for (const [target, item] of Object.entries(agentOpenApiDocument(app).paths ?? {})) {
    for (const [method, described] of Object.entries(item as Readonly<Record<string, Described>>)) {
      const { operationId = `${method} ${target}`, security = [], parameters = [] } = described;
      const hasWorkspace = parameters.some(({ name }) => name === 'x-workspace');
      if (security.length > 0) operations.set(operationId, { method: method.toUpperCase(), hasWorkspace });
    }
  }
  return operations;
}

async function readAll(folder: string): Promise<Readonly<Record<string, string>>> {
  const hash = (data: string | Buffer) => createHash('sha256').update(data).digest('hex').slice(0, 16);
  const seen: Record<string, string> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (!entry.isFile()) continue;
    if (!/\.(?:sqlite|db)/.test(entry.name)) seen[file] = hash(await readFile(file));
    if (!/\.(?:sqlite|db)$/.test(entry.name)) continue;
    using database = new DatabaseSync(file, { readOnly: true });
    for (const { name } of database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()) {
      seen[String(name)] = hash(JSON.stringify(database.prepare(`SELECT * FROM "${name}"`).all()));
    }
  }
  return seen;
}
