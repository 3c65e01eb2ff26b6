import type { TurnMessage, Usage } from '@berth/agent-core';
import type { CompletionUsage, ComponentFrame } from '@berth/contract/agent';

/** Average characters per token in English. Source: OpenAI's help pages, "What are tokens". */
const CHARACTERS_A_TOKEN = 4;

/** A meter of the tokens that a turn uses. */
export interface UsageMeter {
  /** Adds the usage that a model call reported. */
  report(usage: Usage): void;
  /** Counts the text of a frame, for an estimate. */
  count(frame: ComponentFrame): void;
  /** Returns the reported usage; without reports, an estimate from the length of the messages and the answer. */
  total(): CompletionUsage;
}

/** Creates a meter for a turn with these messages as input. */
export function createUsageMeter(messages: readonly TurnMessage[]): UsageMeter {
  let said = 0;
  let isReported = false;
  let input = 0;
  let output = 0;
  return {
    report({ inputTokens = 0, outputTokens = 0 }) {
      isReported = true;
      input += inputTokens;
      output += outputTokens;
    },
    count(frame) {
      if (frame.type === 'text') said += frame.text.length;
    },
    total() {
      const prompt = isReported ? input : estimate(messages.reduce((sum, { content }) => sum + lengthOf(content), 0));
      const completion = isReported ? output : estimate(said);
      return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
    },
  };
}

function estimate(characters: number): number {
  return Math.ceil(characters / CHARACTERS_A_TOKEN);
}

function lengthOf(content: TurnMessage['content']): number {
  if (typeof content === 'string') return content.length;
  return content.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0);
}
