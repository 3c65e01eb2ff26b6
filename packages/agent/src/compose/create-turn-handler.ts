import { type ConnectorTurns, FIND_TOOLS } from '@berth/agent-connectors';
import type { Handler } from '@berth/agent-core';
import type { AgentStores } from '@berth/agent-store';
import { createError } from '@berth/contract';
import type { Clock } from '@berth/kit';
import { type PreparedLoop, prepareLoop, runLoop } from '../loop/loop.ts';
import { type LoopDeps, withLoopDeps } from '../loop/loop-deps.ts';
import { createMemory } from '../memory/create-memory.ts';
import type { WorkspaceStorage } from '../storage/create-workspace-storage.ts';
import { createToolFiles } from '../tools/files/create-tool-files.ts';
import type { AgentOptions } from './agent-options.ts';

export interface TurnHandlerDeps {
  readonly stores: AgentStores;
  /** Undefined for an agent without `auth`: nothing is kept of its callers. */
  readonly storage: WorkspaceStorage | undefined;
  readonly clock: Clock;
  /** Undefined for an agent without connectors. */
  readonly connectors?: { readonly turns: ConnectorTurns } | undefined;
}

/** How an agent answers its turns. */
export interface TurnHandler {
  readonly handler: Handler;
  /** The options of the built-in loop; undefined for an agent with a handler of its own. */
  readonly prepared?: PreparedLoop;
}

/**
 * Returns the handler of an agent's turns: its own, or the built-in loop around its model. Either can delegate to the loop.
 * @throws `invalid` for options of the loop that can't be used.
 */
export async function createTurnHandler(
  options: AgentOptions,
  { stores, storage, clock, connectors }: TurnHandlerDeps,
): Promise<TurnHandler> {
  const deps: LoopDeps = {
    settings: stores.settings,
    approvals: stores.approvals,
    approvalMs: options.approvals?.expireAfterMs,
    clock,
    connectors: connectors?.turns,
    services: ({ ownerKey, workspace }) => ({
      files: storage && createToolFiles({ ...storage, owner: workspace.key, folder: workspace.folder }),
      appData: storage && stores.appData,
      memory: storage && createMemory({ store: stores.memories, clock, ownerKey, workspace, by: 'agent' }),
    }),
  };
  const { handler, model } = options;
  if (handler) return { handler: withLoopDeps(handler, deps) };
  if (!model) throw createError('invalid', 'defineAgent: give a handler or a model');
  try {
    checkNames(options);
    const prepared = prepareLoop({ ...options, model });
    await prepared.skills?.load();
    const own: Handler = (context) => runLoop({ ...prepared, output: context.turn.output ?? prepared.output }, context);
    return { handler: withLoopDeps(own, deps), prepared };
  } catch (error) {
    if (error instanceof RangeError) throw createError('invalid', `defineAgent: ${error.message}`);
    throw error;
  }
}

/** Refuses names that tools of connectors have or may get. */
function checkNames({ tools = [], connectors = [] }: AgentOptions): void {
  if (connectors.length === 0) return;
  for (const { name } of tools) {
    const connector = connectors.find((one) => name.startsWith(`${one.name}__`));
    if (connector)
      throw new RangeError(
        `The tool name "${name}" is reserved for tools of the connector "${connector.name}". Choose another name.`,
      );
    if (name === FIND_TOOLS)
      throw new RangeError(
        `The tool name "${name}" is reserved for the search in connector tools. Choose another name.`,
      );
  }
}
