import { createOutbound, type Outbound } from '@berth/agent-core';
import { createError } from '@berth/contract';
import type { AgentOptions } from './agent-options.ts';
import type { ProcessContext } from './process-context.ts';

const VARIABLE = 'BERTH_AGENT_ALLOWED_NETWORKS';

/**
 * Creates the agent's outbound client, with the networks of its options, else of its environment.
 * @throws `invalid` naming a network that can't be parsed.
 */
export function openOutbound(
  { outbound }: Pick<AgentOptions, 'outbound'>,
  { environment, clock, resolveHost }: Pick<ProcessContext, 'environment' | 'clock' | 'resolveHost'>,
): Outbound {
  const named = (environment[VARIABLE] ?? '').split(',').map((network) => network.trim());
  const allowedNetworks = outbound?.allowedNetworks ?? named.filter((network) => network !== '');
  try {
    return createOutbound({ allowedNetworks }, { clock, ...(resolveHost && { resolveHost }) });
  } catch (error) {
    const where = outbound?.allowedNetworks ? 'outbound.allowedNetworks' : VARIABLE;
    throw createError('invalid', `${where}: ${(error as Error).message}`, { cause: error });
  }
}
