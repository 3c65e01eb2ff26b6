import type { AgentOptions } from '../../../define/agent-options.ts';
import { type LoopAgent, openLoopAgent } from '../../../loop/testing/open-loop-agent.ts';
import type { Model } from '../../../models/model.ts';
import type { ScriptedStep } from '../../../models/scripted.ts';
import type { OpenTestAgentOptions } from '../../../testing/open-test-agent.ts';
import { key } from '../../declare/key.ts';
import { mcp } from '../../declare/mcp.ts';

/** An agent with a scripted model that may ask servers of this machine. */
export function openConnectedAgent(
  steps: readonly ScriptedStep[] | Model,
  options: Partial<AgentOptions> & Pick<OpenTestAgentOptions, 'clock'> & Pick<Required<AgentOptions>, 'connectors'>,
): Promise<LoopAgent> {
  return openLoopAgent(steps, { outbound: { allowedNetworks: ['127.0.0.1/32'] }, ...options });
}

/** A connector of a server that answers everybody. */
export const open = (name: string, url: string, more: Partial<Parameters<typeof mcp>[0]> = {}) =>
  mcp({ name, title: name, url, ...more });

/** One that people paste a key for. */
export const keyed = (name: string, url: string, more: Partial<Parameters<typeof mcp>[0]> = {}) =>
  mcp({ name, title: name, url, auth: { type: 'key' }, ...more });

export { key };
