import type { Tool } from './tool.ts';

/** `hide`: the model does not hear of it; `ask`: a person decides each call; `run`. */
export type ToolDecision = 'hide' | 'ask' | 'run';

/** The tools of one turn. */
export interface OfferedTools {
  find(name: string): { readonly tool: Tool; readonly decision: Exclude<ToolDecision, 'hide'> } | undefined;
  readonly names: readonly string[];
  /** As the model is told of them. */
  readonly list: readonly ModelTool[];
}

/** What the model is told of a tool. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}
