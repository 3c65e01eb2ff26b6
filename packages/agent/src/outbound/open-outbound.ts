import { createError } from '@berth/contract';
import type { AgentOptions } from '../define/agent-options.ts';
import type { Surroundings } from '../define/surroundings.ts';
import { createOutbound, type Outbound } from './create-outbound.ts';

const VARIABLE = 'BERTH_AGENT_ALLOWED_NETWORKS';

/**
 * The agent's way out, with the networks of its options, else of its environment.
 * @throws `invalid` that names the network that is none.
 */
export function openOutbound(
  { outbound }: Pick<AgentOptions, 'outbound'>,
  { environment, clock, resolveHost }: Pick<Surroundings, 'environment' | 'clock' | 'resolveHost'>,
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
