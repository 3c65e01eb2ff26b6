import { type AgentAppContext, publicOrigin } from '@berth/agent-core';
import { createError } from '@berth/contract';

/** Whether an address is of this machine alone. */
export function isLoopback(origin: string): boolean {
  return /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(origin).hostname);
}

/** Where people are sent back to after they consented. */
export interface AgentAddress {
  /**
   * The agent's origin, as the caller wrote it. It is part of what a provider sends codes to, so that it must not be made up: with
   * a false one, somebody else's consent could be caught and used up in the inventor's name. It is trusted behind the platform's
   * gateway, which lets in the service's own names only; on loopback; and when it is one of `BERTH_AGENT_ORIGIN`.
   * @throws `bad_request` with what to set.
   */
  of(c: AgentAppContext): string;
}

/** @throws `invalid` when `BERTH_AGENT_ORIGIN` names what is no origin. */
export function createAgentAddress(environment: Readonly<Record<string, string | undefined>>): AgentAddress {
  const declared = (environment['BERTH_AGENT_ORIGIN'] ?? '').split(',').filter((text) => text.trim() !== '');
  const origins = declared.map((text) => {
    const url = URL.parse(text.trim());
    if (url && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === '') return url.origin;
    throw createError('invalid', `BERTH_AGENT_ORIGIN: "${text}" is no origin such as https://agent.example.com`);
  });
  const isBehindGateway = environment['K_SERVICE'] !== undefined;
  return {
    of(c) {
      const origin = publicOrigin(c);
      if (origins.length > 0) return origins.includes(origin) ? origin : (origins[0] as string);
      if (isBehindGateway || isLoopback(origin)) return origin;
      throw createError(
        'bad_request',
        `The agent does not know that ${origin} is its address. Start it with BERTH_AGENT_ORIGIN=${origin} to let people connect.`,
      );
    },
  };
}
