/**
 * Standard protocols that other programs speak to the agent, beside its own API. A turn that comes by one of them is a turn like any
 * other: it has the same chats, tools, approvals, costs and limits, and needs the same tokens.
 */
export interface ProtocolOptions {
  /** Answers other agents by the Agent2Agent protocol at `/a2a`, which the card at `/.well-known/agent-card.json` describes. */
  readonly a2a?: boolean;
  /** Answers front ends of the Agent-User Interaction protocol at `/ag-ui`, e.g. CopilotKit. */
  readonly agUi?: boolean;
  /** Serves the agent at `/mcp` as a server of the Model Context Protocol, with one tool that answers a message. */
  readonly mcp?: boolean;
}

const PROTOCOLS = ['a2a', 'agUi', 'mcp'] as const satisfies readonly (keyof ProtocolOptions)[];

/** @throws the error of `wrong` for a protocol that isn't known, or isn't switched on by `true`. */
export function checkProtocolOptions(options: ProtocolOptions | undefined, wrong: (what: string) => Error): void {
  if (options === undefined) return;
  for (const [name, value] of Object.entries(options)) {
    if (!(PROTOCOLS as readonly string[]).includes(name)) {
      throw wrong(`protocols has ${PROTOCOLS.join(', ')}, no ${JSON.stringify(name)}`);
    }
    if (typeof value !== 'boolean') throw wrong(`protocols.${name} is true or false: protocols: { ${name}: true }`);
  }
}
