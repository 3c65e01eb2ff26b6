import type { AgentOptions } from '../../../define/agent-options.ts';
import { type LoopAgent, openLoopAgent } from '../../../loop/testing/open-loop-agent.ts';
import type { Model } from '../../../models/model.ts';
import type { ScriptedStep } from '../../../models/scripted.ts';
import type { OpenTestAgentOptions } from '../../../testing/open-test-agent.ts';

/** An agent with a scripted model that may ask servers of this machine. */
export function openConnectedAgent(
  steps: readonly ScriptedStep[] | Model,
  options: Partial<AgentOptions> & Pick<OpenTestAgentOptions, 'clock'> & Pick<Required<AgentOptions>, 'connectors'>,
): Promise<LoopAgent> {
  return openLoopAgent(steps, { outbound: { allowedNetworks: ['127.0.0.1/32'] }, ...options });
}
