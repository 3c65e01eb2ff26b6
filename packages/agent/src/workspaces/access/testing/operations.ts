import type { WorkspaceRole } from '@berth/contract/agent';

/**
 * A sample call of an operation of the agent's OpenAPI document, with the statuses that the access matrix expects. In the
 * target, `{name}` is the caller's name; `{restored}`, `{purged}` and `{token}` name data created for that caller.
 */
export interface OperationSample {
  readonly target: string;
  /** A JSON body, or a function that creates another kind of body. */
  readonly body?: Readonly<Record<string, unknown>> | (() => BodyInit);
  /** The status in the team that has the data. */
  readonly inside: number;
  /** The status in a workspace without the data. */
  readonly elsewhere: number;
  /** The status for these roles, in any workspace. */
  readonly refused?: Readonly<Partial<Record<WorkspaceRole, number>>>;
  /** True when everyone but the team's owner and org admins gets 403. */
  readonly isOwners?: boolean;
}

const TURN = { messages: [{ role: 'user', content: 'hi' }] };
/** The refusal of operations that affect all members, which are for the owner and admins. */
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
/** A call of an API that the caller isn't connected to. */
const call = same('/connectors/crm/fetch/contacts', 401);

/**
 * Operations that work in the workspace of `X-Workspace`, in the order of their calls.
 * Source: docs/contract/agent-api.md §1.
 */
export const IN_WORKSPACE: Readonly<Record<string, OperationSample>> = {
  getWorkspace: same('/workspace'),
  chat: same('/?id=new-{name}', 200, TURN),
  chatAlias: same('/chat?id=new-{name}', 200, TURN),
  createCompletion: same('/chat/completions', 200, { ...TURN, model: 'any' }),
  listModels: same('/models'),
  getModel: same('/models/none', 404),
  transcribe: same('/transcribe', 400),
  continueAnswer: { target: '/chats/ran/continue', inside: 409, elsewhere: 404, body: {} },
  stopRun: same('/chats/ran/stop', 404),
  followRun: { target: '/chats/ran/stream', inside: 200, elsewhere: 404 },
  listWaitingApprovals: same('/chats/ran/approvals'),
  decideApproval: same('/chats/ran/approvals/none', 404, { decision: 'approve' }),
  listApprovals: same('/approvals'),
  decideListedApproval: same('/approvals/none', 404, { decision: 'approve' }),
  listChats: same('/chats'),
  getChat: { target: '/chats/ran', inside: 200, elsewhere: 204 },
  putChat: same('/chats/put', 200, { title: 'put' }),
  showVersion: same('/chats/ran/versions/9', 404),
  exportChat: { target: '/chats/ran/export', inside: 200, elsewhere: 404 },
  putFeedback: { target: '/chats/ran/messages/2/feedback', inside: 200, elsewhere: 404, body: { rating: 'up' } },
  deleteLastExchange: { target: '/chats/ran/last-exchange', inside: 200, elsewhere: 404 },
  deleteChat: { target: '/chats/ran', inside: 200, elsewhere: 404 },
  listSkills: same('/skills'),
  listMemories: same('/memory'),
  addMemory: same('/memory', 200, { text: 'likes tea' }),
  putMemory: same('/memory/none', 404, { text: 'likes tea' }),
  deleteMemory: same('/memory/none', 404),
  eraseMemory: same('/memory'),
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
  listTasks: same('/tasks'),
  getTask: same('/tasks/none', 404),
  cancelTask: same('/tasks/none/cancel', 404),
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

/** Operations with the workspace in their path, as `{workspace}`. `elsewhere` is the caller's personal workspace. */
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

/** Operations that don't depend on a workspace. */
export const OF_PERSON: Readonly<Record<string, OperationSample>> = {
  listWorkspaces: same('/workspaces'),
  getMe: same('/me'),
  findPeople: same('/people'),
  listFeedback: same('/feedback'),
  createWorkspace: same('/workspaces', 200, { name: 'Of {name}' }),
};
