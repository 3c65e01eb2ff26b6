import type { HandlerContext, OfferedTools, Tool } from '@berth/agent-core';
import { ownerKey } from '@berth/agent-store';
import type { UiFrame } from '@berth/contract/agent';
import type { ConnectorCaller } from '../connector/caller.ts';
import { connectCard, connectRequest } from '../connector/not-connected.ts';
import type { ConnectorDirectory, ConnectorState } from '../directory/create-connector-directory.ts';
import type { ConnectorLists } from '../mcp/create-connector-lists.ts';
import type { ServerLists } from '../mcp/read-lists.ts';
import { type ConnectorTool, type ConnectorToolDeps, connectorTools } from './connector-tools.ts';
import { deferTools } from './defer-tools.ts';
import { expandPrompt } from './expand-prompt.ts';

/** Connectors, as turns use them. */
export interface ConnectorTurns {
  /** Returns the user's connectors for a turn; undefined when none applies. */
  open(context: HandlerContext): Promise<ConnectorTurn | undefined>;
}

/** The contribution of connectors to a turn. */
export interface ConnectorTurn {
  /** Tools of the connectors that are connected and on. */
  readonly tools: readonly Tool[];
  /** Cards that ask the user to connect the connectors mentioned in the message. */
  readonly cards: readonly UiFrame[];
  /** Notes for the model, before the user's message. */
  readonly notes: readonly string[];
  /** Message to the user that ends the turn without a model call. */
  readonly refusal?: string;
  /** Returns the tools that the model is told about at once; the others can be found with a search tool. */
  defer(offered: OfferedTools): OfferedTools;
}

/** Dependencies of {@link createConnectorTurns}. */
export interface ConnectorTurnsDeps extends ConnectorToolDeps {
  readonly directory: Pick<ConnectorDirectory, 'list'>;
  readonly lists: ConnectorLists;
}

/** Connectors in turns, with access to their tools. */
export interface OpenConnectorTurns extends ConnectorTurns {
  /** Returns the tools of a connector, given the cached lists of its server. */
  toolsOf(state: ConnectorState, known: ServerLists | undefined): readonly ConnectorTool[];
}

/** Creates the connectors of turns. With cached lists, a turn costs two queries and no request. */
export function createConnectorTurns(deps: ConnectorTurnsDeps): OpenConnectorTurns {
  const { directory, lists } = deps;
  /** Tools are shared by all users, so they are created once per list. */
  const made = new WeakMap<object, readonly ConnectorTool[]>();
  const toolsOf = ({ connector }: ConnectorState, known: ServerLists | undefined) => {
    const key = known ?? connector;
    const tools = made.get(key) ?? connectorTools(connector, known, deps);
    made.set(key, tools);
    return tools;
  };

  return {
    toolsOf,
    async open({ user, ownerKey: owner, workspace, turn, messages, signal }) {
      if (!user) return undefined;
      const caller: ConnectorCaller = { user, person: ownerKey(user), owner, workspace };
      const states = await directory.list(caller);
      const usable = states.filter(({ isUsable }) => isUsable);
      const connected = usable.filter(({ connectedAs }) => connectedAs !== undefined);
      const known = await Promise.all(
        connected.map(async (state) => toolsOf(state, state.connector.server && (await lists.forTurn(caller, state)))),
      );
      const tools = known.flat();
      const missing = usable.filter(
        ({ connector, connectedAs }) => connectedAs === undefined && turn.connectors.includes(connector.name),
      );
      const prompt = await expandPrompt(messages.at(-1), states, caller, deps, signal);
      if (tools.length === 0 && missing.length === 0 && !prompt) return undefined;
      const refusal = prompt && 'refusal' in prompt ? prompt : undefined;
      const asked = [
        ...missing.map(({ connector }) => connectRequest(connector)),
        ...(refusal?.connect ? [refusal.connect] : []),
      ];
      return {
        tools,
        cards: asked.map(connectCard),
        notes: [
          ...missing.map(
            ({ connector: { title } }) => `[${title} is not connected. The person is being asked to connect it.]`,
          ),
          ...(prompt && 'note' in prompt ? [prompt.note] : []),
        ],
        ...(refusal && { refusal: refusal.refusal }),
        defer: (offered) => deferTools({ offered, mentioned: turn.connectors, messages }),
      };
    },
  };
}
