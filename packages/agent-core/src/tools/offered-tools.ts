import type { Tool } from './tool.ts';

/** `hide`: the model is not offered the tool; `ask`: a person approves each call; `run`: calls run at once. */
export type ToolDecision = 'hide' | 'ask' | 'run';

/** The tools that a model is offered in one turn. */
export interface OfferedTools {
  find(name: string): { readonly tool: Tool; readonly decision: Exclude<ToolDecision, 'hide'> } | undefined;
  readonly names: readonly string[];
  /** The tools as the request to the model lists them. */
  readonly list: readonly ModelTool[];
}

/** A tool as the request to a model describes it. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}
