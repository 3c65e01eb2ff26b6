import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { canonicalJson, safeLine, safeText, type Tool, type ToolContext, ToolError } from '@berth/agent-core';
import { ownerKey } from '@berth/agent-store';
import type { Clock } from '@berth/kit';
import type { ConnectorCaller } from '../connector/caller.ts';
import type { Connector } from '../connector/connector.ts';
import type { Grant } from '../connector/grants.ts';
import { toolSettingKey } from '../connector/tool-setting-key.ts';
import { maskSecrets } from '../fetch/mask-secrets.ts';
import { callTool, type RemoteFile } from '../mcp/call-tool.ts';
import type { ConnectorLists } from '../mcp/create-connector-lists.ts';
import type { ServerClient } from '../mcp/create-server-client.ts';
import { McpError } from '../mcp/mcp-error.ts';
import type { ServerLists } from '../mcp/read-lists.ts';
import { type RemoteTool, riskOf } from '../mcp/remote-tool.ts';
import { createHandle, type HandleDeps } from './create-handle.ts';
import { formatResult } from './format-result.ts';
import { toolName } from './tool-name.ts';

/** Dependencies of {@link connectorTools}. */
export interface ConnectorToolDeps extends HandleDeps {
  readonly servers: ServerClient;
  readonly lists: Pick<ConnectorLists, 'readAnew'>;
  readonly clock: Clock;
}

/** A tool of a connector, with the data that tool search uses. */
export interface ConnectorTool extends Tool {
  readonly connector: string;
  readonly settingKey: string;
  /** The tool's name on the server. */
  readonly ownName: string;
  readonly title: string;
  readonly connectorTitle: string;
}

/** Reports whether a tool belongs to a connector. */
export function isConnectorTool(tool: Tool): tool is ConnectorTool {
  return tool.connector !== undefined;
}

const TIMEOUT_MS = 120_000;
const MAX_RESULT_BYTES = 20_000_000;
const MAX_ERROR = 2_000;
const MAX_LABEL = 200;

/**
 * Returns a connector's tools for the agent loop: the owner's own, then those of its server. They are shared by all
 * users: each call's context names its user.
 */
export function connectorTools(
  connector: Connector,
  lists: Pick<ServerLists, 'tools'> | undefined,
  deps: ConnectorToolDeps,
): readonly ConnectorTool[] {
  const own = connector.tools.map((tool) => ownTool(connector, tool, deps));
  const taken = new Set(own.map(({ ownName }) => ownName));
  const remote = (lists?.tools ?? []).filter(({ name }) => !taken.has(name));
  return [...own, ...remote.map((tool) => remoteTool(connector, tool, deps))];
}

function ownTool(connector: Connector, tool: Tool, deps: HandleDeps): ConnectorTool {
  return {
    ...tool,
    ...namesOf(connector, tool.name),
    title: tool.name,
    run: (args, context) => {
      const handle = createHandle(deps, connector, callerOfTool(context), context.signal);
      return tool.run(args, { ...context, connector: handle });
    },
  };
}

function remoteTool(connector: Connector, tool: RemoteTool, deps: ConnectorToolDeps): ConnectorTool {
  const { servers, lists, clock } = deps;
  const { risk, hash } = judge(connector, tool);
  const label = safeLine(`${connector.title}: ${tool.title}`, MAX_LABEL);
  let definitionHash: string | undefined;
  return {
    ...namesOf(connector, tool.name),
    title: tool.title,
    description: tool.description || tool.title,
    risk,
    inputSchema: tool.inputSchema,
    timeoutMs: TIMEOUT_MS,
    get definitionHash() {
      definitionHash ??= hash();
      return definitionHash;
    },
    async currentHash(context) {
      const { tools } = await told(connector, () => lists.readAnew(callerOfTool(context), connector));
      const now = tools.find(({ name }) => name === tool.name);
      // Later approvals are for this definition.
      definitionHash = now && judge(connector, now).hash();
      return definitionHash;
    },
    label: () => label,
    // The server validates the arguments.
    check: () => undefined,
    async run(args, context) {
      const limits = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_RESULT_BYTES, signal: context.signal };
      const [result, grant] = await told(connector, () =>
        servers.ask(callerOfTool(context), connector, limits, async (session, used) => [
          await callTool(session, tool, args),
          used,
        ]),
      );
      const clean = { ...result, text: grant.scrub(result.text), files: await cleanFiles(result.files, grant) };
      const formatted = { result: clean, connector, tool: tool.name, context, nowMs: clock.nowMs() };
      const text = grant.scrub(await formatResult(formatted));
      if (result.isError) throw new ToolError(text || `${connector.title} reported a failure.`);
      return text || 'Done.';
    },
  };
}

/** Masks secrets that a server may echo in a file. */
async function cleanFiles(files: readonly RemoteFile[], { secrets }: Grant): Promise<readonly RemoteFile[]> {
  const clean = async ({ mediaType, bytes }: RemoteFile): Promise<RemoteFile> => {
    const masked = await Array.fromAsync(maskSecrets(Readable.from([bytes]), secrets));
    return { mediaType, bytes: Buffer.concat(masked) };
  };
  return await Promise.all(files.map(clean));
}

/**
 * Returns a tool's risk, and a hash of everything an approval relies on: the definition, the risk, and the server's
 * URL, so that another server under the same name needs a new approval.
 */
function judge({ name, server = NO_SERVER }: Connector, tool: RemoteTool) {
  const risk = riskOf(tool, server);
  const definition = [name, server.url, tool.hash, risk];
  return { risk, hash: () => createHash('sha256').update(canonicalJson(definition)).digest('hex') };
}

const NO_SERVER = { url: '', isReadOnlyTrusted: false, risks: {} };

/** Runs `ask`. @throws ToolError for an MCP failure, in words for the model. */
async function told<Result>({ title }: Connector, ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof McpError) throw new ToolError(safeText(`${title} ${error.message}.`, MAX_ERROR));
    throw error;
  }
}

function namesOf({ name: connector, title: connectorTitle }: Connector, ownName: string) {
  const settingKey = toolSettingKey(connector, ownName);
  return { name: toolName(connector, ownName), ownName, connector, connectorTitle, settingKey };
}

/** Returns the caller of a tool. @throws ToolError when no user is signed in, since connectors need one. */
function callerOfTool(context: Pick<ToolContext, 'user' | 'ownerKey' | 'workspace'>): ConnectorCaller {
  const { user, ownerKey: owner, workspace } = context;
  if (!user) throw new ToolError('No one is signed in.');
  return { user, person: ownerKey(user), owner, workspace };
}
