import { type Model, type ModelMessage, NO_USAGE, type TokenUsage } from '../models/model.ts';
import type { ModelAnswer } from './ask-model.ts';
import { compact } from './compaction.ts';
import { estimateText, estimateTokens } from './estimate-tokens.ts';

export interface ContextWindowOptions {
  readonly messages: readonly ModelMessage[];
  readonly model: Model;
  readonly contextTokens: number;
  /** Tokens of what goes with every request: the system prompt and the tools, of which there may be more from step to step. */
  overheadTokens(): number;
  readonly signal: AbortSignal;
  /** What it took to sum up. */
  onUsage(usage: TokenUsage): void;
}

/** What the model is told in a turn, kept to what it can read. */
export interface ContextWindow {
  readonly messages: readonly ModelMessage[];
  /** What now stands for everything before the person's last message, for later turns; undefined when all of it stands. */
  readonly summary: string | undefined;
  /** Makes it fit; `isForced` when the upstream said that it does not, whatever was estimated. */
  fit(isForced: boolean): Promise<void>;
  add(...messages: readonly ModelMessage[]): void;
  /** What an answer used, estimated where the upstream does not say; from what it says, later estimates learn. */
  count(answer: ModelAnswer): { readonly usage: TokenUsage; readonly isEstimated: boolean };
  /** What an answer of this text will have used. */
  estimate(text: string): TokenUsage;
}

export function createContextWindow(options: ContextWindowOptions): ContextWindow {
  const { overheadTokens } = options;
  let { messages } = options;
  let summary: string | undefined;
  /** Counted tokens for each estimated one. */
  let scale = 1;
  const estimateInput = () => estimateTokens(messages) + overheadTokens();
  const estimate = (text: string): TokenUsage => ({
    ...NO_USAGE,
    input: Math.ceil(estimateInput() * scale),
    output: estimateText(text),
  });
  return {
    get messages() {
      return messages;
    },
    get summary() {
      return summary;
    },
    async fit(isForced) {
      const compacted = await compact({ ...options, overheadTokens: overheadTokens(), messages, scale, isForced });
      messages = compacted.messages;
      summary = compacted.summary ?? summary;
    },
    add(...more) {
      messages = [...messages, ...more];
    },
    count({ usage, content }) {
      if (usage.input === 0) return { usage: estimate(JSON.stringify(content)), isEstimated: true };
      scale = boundScale(usage.input / estimateInput());
      return { usage, isEstimated: false };
    },
    estimate,
  };
}

/** An upstream that counts wrongly must not make every turn look too long, or none. */
function boundScale(scale: number): number {
  return Math.min(10, Math.max(0.25, scale));
}
