import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { canonicalJson, safeLine, safeText, type Tool, type ToolContext, ToolError } from '@berth/agent-core';
import { ownerKey } from '@berth/agent-store';
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
import type { HandleMaker } from './create-handle.ts';
import type { ResultFormatter } from './create-result-formatter.ts';
import { toolName } from './tool-name.ts';

export interface ConnectorToolDeps {
  readonly servers: ServerClient;
  readonly lists: Pick<ConnectorLists, 'readAnew'>;
  readonly formatter: ResultFormatter;
  readonly handles: HandleMaker;
}

/** A tool of a connector, with what finds it. */
export interface ConnectorTool extends Tool {
  readonly connector: string;
  readonly settingKey: string;
  /** The true name. */
  readonly ownName: string;
  readonly title: string;
  readonly connectorTitle: string;
}

export function isConnectorTool(tool: Tool): tool is ConnectorTool {
  return tool.connector !== undefined;
}

const TIMEOUT_MS = 120_000;
const MAX_RESULT_BYTES = 20_000_000;
const MAX_ERROR = 2_000;
const MAX_LABEL = 200;

/**
 * The tools of a connector as the loop takes them: the owner's own, then what its server has. They are of nobody: for whom
 * one is called stands in its context.
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

function ownTool(connector: Connector, tool: Tool, { handles }: ConnectorToolDeps): ConnectorTool {
  return {
    ...tool,
    ...namesOf(connector, tool.name),
    title: tool.name,
    run: (args, context) => {
      const handle = handles.make(connector, callerOfTool(context), context.signal);
      return tool.run(args, { ...context, connector: handle });
    },
  };
}

function remoteTool(connector: Connector, tool: RemoteTool, deps: ConnectorToolDeps): ConnectorTool {
  const { servers, lists, formatter } = deps;
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
      // What is asked for from now on is what it is now.
      definitionHash = now && judge(connector, now).hash();
      return definitionHash;
    },
    label: () => label,
    // Its server knows what it takes.
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
      const text = grant.scrub(await formatter.format(clean, connector, tool.name, context));
      if (result.isError) throw new ToolError(text || `${connector.title} says that it failed.`);
      return text || 'Done.';
    },
  };
}

/** A server may put into a file what it was asked with. */
async function cleanFiles(files: readonly RemoteFile[], { secrets }: Grant): Promise<readonly RemoteFile[]> {
  const clean = async ({ mediaType, bytes }: RemoteFile): Promise<RemoteFile> => {
    const masked = await Array.fromAsync(maskSecrets(Readable.from([bytes]), secrets));
    return { mediaType, bytes: Buffer.concat(masked) };
  };
  return await Promise.all(files.map(clean));
}

/** Its risk, and the hash of all that a person relies on: also of another server under the same name, and of the risk. */
function judge({ name, server = NO_SERVER }: Connector, tool: RemoteTool) {
  const risk = riskOf(tool, server);
  const definition = [name, server.url, tool.hash, risk];
  return { risk, hash: () => createHash('sha256').update(canonicalJson(definition)).digest('hex') };
}

const NO_SERVER = { url: '', isReadOnlyTrusted: false, risks: {} };

/** @throws ToolError for what went wrong with the server, in words for the model. */
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

/** For whom a tool of a connector is called. @throws ToolError for nobody: connectors are of people who signed in. */
function callerOfTool(context: Pick<ToolContext, 'user' | 'ownerKey' | 'workspace'>): ConnectorCaller {
  const { user, ownerKey: owner, workspace } = context;
  if (!user) throw new ToolError('Nobody is signed in.');
  return { user, person: ownerKey(user), owner, workspace };
}
