import type { AgentOptions, Model, ScriptedStep } from '@berth/agent';
import { type LoopAgent, type OpenTestAgentOptions, openLoopAgent } from '@berth/agent/testing';

/** Opens an agent with a scripted model, which may reach servers on this machine. */
export function openConnectedAgent(
  steps: readonly ScriptedStep[] | Model,
  options: Partial<AgentOptions> & Pick<OpenTestAgentOptions, 'clock'> & Pick<Required<AgentOptions>, 'connectors'>,
): Promise<LoopAgent> {
  return openLoopAgent(steps, { outbound: { allowedNetworks: ['127.0.0.1/32'] }, ...options });
}
