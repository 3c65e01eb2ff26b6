import type { WorkspaceRole } from '@berth/contract/agent';

/**
 * How the access matrix calls an operation of the agent's OpenAPI document, and what it answers. A `{name}` in the target
 * is the name of a caller, `{restored}`, `{purged}` and `{token}` are things that were made for that caller.
 */
export interface OperationSample {
  readonly target: string;
  /** JSON, or what makes another body. */
  readonly body?: Readonly<Record<string, unknown>> | (() => BodyInit);
  /** The status in the team where the things are that it names. */
  readonly inside: number;
  /** The status in a workspace that has nothing of the kind. */
  readonly elsewhere: number;
  /** The status for these roles, wherever. */
  readonly refused?: Readonly<Partial<Record<WorkspaceRole, number>>>;
  /** 403 for all but the team's owner and admins of its organisation. */
  readonly isOwners?: boolean;
}

const TURN = { messages: [{ role: 'user', content: 'hi' }] };
/** What decides for all is for the owner and admins. */
const MANAGERS = { editor: 403 } as const;

const form = () => {
  const data = new FormData();
  data.append('file', new Blob(['new']), 'new.txt');
  return data;
};
const same = (target: string, status = 200, body?: OperationSample['body']): OperationSample => ({
  target,
  inside: status,
  elsewhere: status,
  ...(body && { body }),
});
/** Calls of an API that nobody is connected to. */
const call = same('/connectors/crm/fetch/contacts', 401);

/** Operations that work in the workspace of `X-Workspace`, in the order in which they are tried. Source: docs/contract/agent-api.md §1. */
export const IN_WORKSPACE: Readonly<Record<string, OperationSample>> = {
  getWorkspace: same('/workspace'),
  chat: same('/?id=new-{name}', 200, TURN),
  chatAlias: same('/chat?id=new-{name}', 200, TURN),
  createCompletion: same('/chat/completions', 200, { ...TURN, model: 'any' }),
  transcribe: same('/transcribe', 400),
  stopRun: same('/chats/ran/stop', 404),
  followRun: { target: '/chats/ran/stream', inside: 200, elsewhere: 404 },
  listWaitingApprovals: same('/chats/ran/approvals'),
  decideApproval: same('/chats/ran/approvals/none', 404, { decision: 'approve' }),
  listChats: same('/chats'),
  getChat: { target: '/chats/ran', inside: 200, elsewhere: 204 },
  putChat: same('/chats/put', 200, { title: 'put' }),
  deleteLastExchange: { target: '/chats/ran/last-exchange', inside: 200, elsewhere: 404 },
  deleteChat: { target: '/chats/ran', inside: 200, elsewhere: 404 },
  listFiles: same('/files'),
  readFile: { target: '/files/{name}/read.txt', inside: 200, elsewhere: 404 },
  writeFile: same('/files/{name}/written.txt', 200, () => 'bytes'),
  makeFolder: same('/files/{name}/made'),
  moveFile: { target: '/files/{name}/moved.txt', body: { to: '{name}/there.txt' }, inside: 200, elsewhere: 404 },
  createShare: { target: '/share', body: { path: 'file/{name}/read.txt' }, inside: 200, elsewhere: 404 },
  listShares: same('/share'),
  forkShare: same('/share/acme%3Aolga/{token}/fork?ws={team}'),
  revokeShare: same('/share/{token}'),
  deleteFile: { target: '/files/{name}/read.txt', inside: 200, elsewhere: 404 },
  writeFilesToRoot: same('/files-batch', 200, form),
  writeFiles: same('/files-batch/{name}', 200, form),
  listTrash: same('/trash'),
  restoreTrash: { target: '/trash/{restored}/restore', inside: 200, elsewhere: 404 },
  deleteTrash: { target: '/trash/{purged}', inside: 200, elsewhere: 404, refused: MANAGERS },
  emptyTrash: { ...same('/trash'), refused: MANAGERS },
  listToolModes: same('/tools'),
  listOwnTools: same('/tools/offered'),
  setToolMode: same('/tools/run_command', 200, { mode: 'never' }),
  clearToolMode: same('/tools/run_command'),
  listAppData: same('/apps/app/data'),
  getAppData: { target: '/apps/app/data/{name}', inside: 200, elsewhere: 404 },
  putAppData: same('/apps/app/data/{name}', 200, { of: '{name}' }),
  deleteAppData: same('/apps/app/data/{name}'),
  listConnectors: same('/connectors'),
  listConnectorTools: same('/connectors/crm/tools'),
  listConnectorPrompts: same('/connectors/crm/prompts'),
  getByConnector: call,
  postByConnector: call,
  putByConnector: call,
  patchByConnector: call,
  deleteByConnector: call,
  optionsByConnector: call,
  authorizeConnector: same('/connectors/crm/authorize', 400),
  setConnectorToolMode: same('/connectors/crm/tools/any', 200, { mode: 'ask' }),
  patchConnector: { ...same('/connectors/crm', 200, { enabled: true }), refused: MANAGERS },
  putConnectorKey: {
    ...same('/connectors/crm/key', 200, { key: 'a-good-key', scope: 'workspace' }),
    refused: MANAGERS,
  },
  disconnectConnector: { ...same('/connectors/crm?scope=workspace'), refused: MANAGERS },
};

/** Operations that name the workspace in their path, as `{workspace}`; `elsewhere` is the caller's personal one. */
export const OF_WORKSPACE: Readonly<Record<string, OperationSample>> = {
  listWorkspaceMembers: same('/workspaces/{workspace}/members'),
  putWorkspaceMember: {
    target: '/workspaces/{workspace}/members/friend-of-{name}',
    body: { role: 'editor' },
    inside: 200,
    elsewhere: 403,
    refused: MANAGERS,
  },
  deleteWorkspaceMember: {
    target: '/workspaces/{workspace}/members/friend-of-{name}',
    inside: 200,
    elsewhere: 403,
    refused: MANAGERS,
  },
  patchWorkspace: {
    target: '/workspaces/{workspace}',
    body: { icon: '🚀' },
    inside: 200,
    elsewhere: 403,
    isOwners: true,
  },
  deleteWorkspace: { target: '/workspaces/{workspace}', inside: 200, elsewhere: 403, isOwners: true },
};

/** Operations that are the same wherever one works. */
export const OF_PERSON: Readonly<Record<string, OperationSample>> = {
  listWorkspaces: same('/workspaces'),
  createWorkspace: same('/workspaces', 200, { name: 'Of {name}' }),
};
