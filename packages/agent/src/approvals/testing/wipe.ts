import { defineTool, type ToolDefinition, type ToolRisk } from '@berth/agent-core';
import { z } from 'zod';
import { framesOf, type LoopAgent } from '../../loop/testing/open-loop-agent.ts';
import type { ReadTurn } from '../../testing/read-turn.ts';

/** A tool that counts what it did. */
export function wipe(risk: ToolRisk = 'destructive', more: Partial<ToolDefinition<z.ZodType>> = {}) {
  const runs: unknown[] = [];
  const tool = defineTool({
    name: 'wipe',
    description: 'Wipes.',
    risk,
    input: z.object({ what: z.string() }),
    label: (input) => `Wipe ${(input as { what: string }).what}`,
    run(input) {
      runs.push(input);
      return 'wiped';
    },
    ...more,
  });
  return { tool, runs };
}

/** A model's answer that calls it. */
export const callWipe = { calls: [{ tool: 'wipe', args: { what: 'disk' } }] };

/** What a turn asked its person. */
export const confirmsOf = (turn: ReadTurn) => framesOf(turn, 'ui').filter(({ action }) => action === 'confirm');

/** The key of the first question of a turn. */
export const keyOf = (turn: ReadTurn) => String(confirmsOf(turn)[0]?.['key']);

/** Decides by the route; the decision takes effect with the next message. */
export const decide = (fixture: LoopAgent, key: string, decision: string, chat = 'c1', token = 'alice') =>
  fixture.call(token, 'POST', `/chats/${chat}/approvals/${key}`, { decision, resume: false });
