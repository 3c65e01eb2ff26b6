import type { Component, Tool } from '@berth/agent-core';
import { type LoopAgent, openLoopAgent } from '../../loop/testing/open-loop-agent.ts';
import type { ReadTurn } from '../../testing/read-turn.ts';

/** What one call came to. */
export interface CallOutcome {
  readonly text: string;
  readonly isError: boolean;
  readonly frames: readonly (Component | ReadTurn['frames'][number])[];
}

export interface ToolAgent extends LoopAgent {
  /** Has the model call a tool, in a chat of its own. What would ask runs. */
  use(tool: string, args: unknown, token?: string): Promise<CallOutcome>;
}

/** An agent whose model calls what a test tells it to. */
export async function openToolAgent(tools: readonly Tool[]): Promise<ToolAgent> {
  let next = { tool: '', args: {} as unknown };
  let count = 0;
  const steps = [
    ({ messages }: { messages: readonly { role: string }[] }) =>
      messages.at(-1)?.role === 'tool' ? 'Done.' : { calls: [next] },
  ];
  const fixture = await openLoopAgent(steps, { tools });
  return {
    ...fixture,
    async use(tool, args, token = 'alice') {
      next = { tool, args };
      await fixture.call(token, 'PUT', `/tools/${tool}`, { mode: 'allow' });
      const turn = await fixture.say('Go', {}, `c${++count}`, token);
      const result = fixture.asked.at(-1)?.messages.at(-1);
      if (result?.role !== 'tool')
        throw new Error(`${tool} was not called: ${JSON.stringify(turn.frames.slice(-3)).slice(-500)}`);
      return { text: result.text, isError: result.isError, frames: turn.frames };
    },
    [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
  };
}
