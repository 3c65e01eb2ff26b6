import { randomUUID } from 'node:crypto';
import type { AgentClient } from '@berth/client';
import { createPartsBuilder, type Frame } from '@berth/contract/agent';
import { BerthError, type Clock } from '@berth/kit';
import type { EvalCase } from './read-cases.ts';

/** The agent's answer in a case. */
export interface CaseAnswer {
  /** The text of the last answer, without white space around it. */
  readonly text: string;
  /** The tools that were called in all turns, by name. */
  readonly tools: readonly string[];
  readonly durationMs: number;
  readonly chatId: string;
  /** Why there is no answer to judge. */
  readonly error?: string;
}

/** Says a case's messages to the agent in a chat of their own. @throws the signal's reason, and `unauthenticated`. */
export async function runCase(
  agent: AgentClient,
  { input }: EvalCase,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<CaseAnswer> {
  const chatId = `eval-${randomUUID()}`;
  const startedMs = clock.monotonicMs();
  const messages: { role: 'user' | 'assistant'; content: string }[] = [];
  const tools: string[] = [];
  let text = '';
  let error: string | undefined;
  try {
    for (const content of input) {
      messages.push({ role: 'user', content });
      const turn = await readTurn(agent.sendTurn(chatId, { messages: [...messages], auto: true }, { signal }));
      tools.push(...turn.tools);
      ({ text, error } = turn);
      if (error !== undefined) break;
      messages.push({ role: 'assistant', content: text });
    }
  } catch (thrown) {
    if (signal.aborted) throw signal.reason;
    // The next case would not be let in either.
    if (BerthError.is(thrown, 'unauthenticated')) throw thrown;
    error = thrown instanceof Error ? thrown.message : String(thrown);
  }
  const durationMs = Math.round(clock.monotonicMs() - startedMs);
  return { text, tools, durationMs, chatId, ...(error !== undefined && { error }) };
}

async function readTurn(frames: AsyncIterable<Frame>) {
  const built = createPartsBuilder();
  let text = '';
  let error: string | undefined;
  for await (const frame of frames) {
    if (frame.type === 'text') text += frame.text;
    else if (frame.type === 'callout' && frame.style === 'error') error = frame.callout;
    else if (frame.type === 'step') built.add(frame);
  }
  const tools = built.parts.flatMap((part) => (part.type === 'step' && part.tool_name ? [part.tool_name] : []));
  return { text: text.trim(), tools, error };
}
