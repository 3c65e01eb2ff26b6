import type { Component, ResumedTurn } from '@berth/agent-core';
import type { Part } from '@berth/contract/agent';
import type { DecidedCall } from '../approvals/approvals.ts';
import type { ModelMessage } from '../models/model.ts';
import { type ResumedAnswer, resumeAnswer } from './resume-answer.ts';
import { runApproved } from './run-approved.ts';
import type { CallOptions } from './run-calls.ts';
import type { ToolResult } from './run-tool.ts';

interface BeginAnswerOptions {
  /** The conversation; the last message is the one to answer. */
  readonly history: readonly ModelMessage[];
  /** Inserted before the text of the last message. */
  readonly notes: readonly string[] | undefined;
  /** Calls of this loop, and of sub-agents below it. */
  readonly decided: readonly DecidedCall[];
  /** Parts of the loop's earlier answers, and of the one that goes on. */
  readonly parts: readonly Part[];
  /** The answer that goes on; undefined for a new one. */
  readonly resumed: ResumedTurn | undefined;
  readonly calls: CallOptions;
}

/** An answer that can be asked for. */
interface BegunAnswer {
  /** The messages of the first request to the model. */
  readonly messages: readonly ModelMessage[];
  /** True when a person has to act first: `questions` are shown instead of asking the model. */
  readonly isWaiting: boolean;
  readonly questions: readonly Component[];
  /** Results of approved calls by `callKey`, for the same call later in the turn. */
  readonly done: ReadonlyMap<string, ToolResult>;
}

const NOTHING: ResumedAnswer = { messages: [], questions: [], isWaiting: false };

/** Runs what was approved, and what an answer that goes on has left open. Yields steps. */
export async function* beginAnswer(options: BeginAnswerOptions): AsyncGenerator<string | Component, BegunAnswer> {
  const { history, notes, decided, parts, resumed, calls } = options;
  const approved = yield* runApproved(calls, decided, parts, new Set(stepIds(resumed?.parts ?? [])));
  const rest =
    resumed && approved.questions.length === 0 ? yield* resumeAnswer(resumed, approved.resultOf, calls) : NOTHING;
  return {
    messages: [...withApproved(history, approved.messages, notes), ...rest.messages],
    isWaiting: approved.questions.length > 0 || rest.isWaiting,
    questions: [...approved.questions, ...rest.questions],
    done: approved.done,
  };
}

/** Returns the ids of all steps. */
export function stepIds(parts: readonly Part[]): readonly string[] {
  return parts.flatMap((part) => (part.type === 'step' && part.id !== undefined ? [part.id] : []));
}

/** Returns the conversation with approved calls before the message to answer, or at its end if it ends with results of tools. */
function withApproved(
  history: readonly ModelMessage[],
  approved: readonly ModelMessage[],
  notes: readonly string[] | undefined,
): readonly ModelMessage[] {
  if (history.at(-1)?.role !== 'user') return [...history, ...approved];
  return [...history.slice(0, -1), ...approved, ...addNotes(history.slice(-1), notes)];
}

/** Inserts notes before the text of the person's message. */
function addNotes(
  messages: readonly ModelMessage[],
  notes: readonly string[] | undefined = [],
): readonly ModelMessage[] {
  if (notes.length === 0) return messages;
  const noted = notes.map((text) => ({ type: 'text' as const, text }));
  return messages.map((message) =>
    message.role === 'user' ? { ...message, content: [...noted, ...message.content] } : message,
  );
}
