import type { Component, HandlerContext, OutputFormat, Tool, TurnResult, User } from '@berth/agent-core';
import type { z } from 'zod';
import type { Model, ToolChoice } from '../models/model.ts';
import type { SkillsOptions } from '../skills/create-skills.ts';
import type { PriceBook } from './price-book.ts';
import type { PrepareStep, StopCondition } from './step-control.ts';

/** Options of the built-in loop. */
export interface LoopOptions<Output = unknown> {
  /** `fallback([…])` asks another model where one can't answer. */
  readonly model: Model;
  /** The system prompt, or a function that makes it for each turn. */
  readonly system?: string | ((context: HandlerContext) => string | Promise<string>);
  readonly tools?: readonly Tool[];
  /**
   * Folder of skills (`skills/NAME/SKILL.md`), relative to the working folder. The system prompt names them, and the tool `load_skill`
   * reads them when a task needs them. `{ fromWorkspace: true }` lets people add their own.
   */
  readonly skills?: string | SkillsOptions;
  /**
   * True: the agent remembers facts across the chats of a person, and of a team, with the tools `save_memory` and `delete_memory`.
   * People see, change and erase them. In `defineAgent` it also shows them on the page, for a handler of your own too.
   */
  readonly memory?: boolean;
  /**
   * A Zod object: the answer is JSON that matches it, which the turn's result has as `output`. Models with response formats follow
   * the schema, others give it to a tool. An answer that does not match is repaired once; then the turn fails.
   */
  readonly output?: z.ZodType<Output> | OutputFormat<Output>;
  /**
   * Whether the model calls tools; `auto` by default. `required` and `{ tool }` apply to the first step of a turn, because a model
   * that must call tools at each step never ends.
   */
  readonly toolChoice?: ToolChoice;
  /** Called before each step; what it returns applies to that step alone. */
  readonly prepareStep?: PrepareStep;
  /** Conditions on which the turn ends after a step with tool calls; any of them is enough. `maxSteps` applies besides. */
  readonly stopWhen?: StopCondition | readonly StopCondition[];
  /** Most answers of the model in one turn; 50 by default. */
  readonly maxSteps?: number;
  /** Most read-only tool calls that run at once; 8 by default. Others run one after the other. */
  readonly maxParallelTools?: number;
  /** Attempts at each model call that fails before its answer began; 4 by default, 1 for no retry. */
  readonly maxTries?: number;
  /**
   * Time in milliseconds until the first byte of an answer of the model, retries included; 60,000 by default. Raise it for a model
   * that thinks for longer in silence.
   */
  readonly firstByteMs?: number;
  /** The model's context window in tokens; by default from the price file, else 128,000. */
  readonly contextTokens?: number;
  /** Prices of models: a book, or the path of a file with one. Without it turns cost 0. */
  readonly prices?: PriceBook | string;
  /** The organization's switch: false hides a tool, whatever the person chose. */
  isToolAllowed?(tool: Tool, user: User | undefined): boolean | Promise<boolean>;
}

/** A handler that also returns what it has besides its frames, such as the structured output. */
export interface LoopHandler<Output = unknown> {
  (context: HandlerContext): AsyncGenerator<string | Component, TurnResult<Output>>;
  /**
   * Runs the loop without showing anything of it, for a step of a handler's own: a classification, a plan, a draft.
   * @throws ToolError when a tool asks for approval, which no one would see; ModelError, BudgetUsed.
   */
  generate(context: HandlerContext): Promise<Generated<Output>>;
}

/** Result of a loop without a reader. */
export interface Generated<Output = unknown> {
  /** The answer as Markdown. */
  readonly text: string;
  readonly output?: Output;
}
