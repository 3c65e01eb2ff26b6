import { type Model, type ModelMessage, NO_USAGE, type TokenUsage } from '../models/model.ts';
import type { ModelAnswer } from './ask-model.ts';
import { compact } from './compaction.ts';
import { estimateText, estimateTokens } from './estimate-tokens.ts';

export interface ContextWindowOptions {
  readonly messages: readonly ModelMessage[];
  readonly model: Model;
  readonly contextTokens: number;
  /** Returns the tokens of the system prompt and the tools; the tools may grow from step to step. */
  overheadTokens(): number;
  readonly signal: AbortSignal;
  /** Called with what a summary used. */
  onUsage(usage: TokenUsage): void;
}

/** The messages of a turn, kept within the model's context window. */
export interface ContextWindow {
  readonly messages: readonly ModelMessage[];
  /** The summary that replaces everything before the person's last message, for later turns; undefined without compaction. */
  readonly summary: string | undefined;
  /** Compacts the messages if needed; `isForced` when the upstream refused them as too long. */
  fit(isForced: boolean): Promise<void>;
  add(...messages: readonly ModelMessage[]): void;
  /** Returns what an answer used, estimated if the upstream does not report it. Reported usage corrects later estimates. */
  count(answer: ModelAnswer): { readonly usage: TokenUsage; readonly isEstimated: boolean };
  /** Estimates what an answer with this text used. */
  estimate(text: string): TokenUsage;
}

export function createContextWindow(options: ContextWindowOptions): ContextWindow {
  const { overheadTokens } = options;
  let { messages } = options;
  let summary: string | undefined;
  /** Measured tokens per estimated token. */
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

/** Bounds the scale, so that an upstream that counts wrongly can't make every turn look too long, or none. */
function boundScale(scale: number): number {
  return Math.min(10, Math.max(0.25, scale));
}
