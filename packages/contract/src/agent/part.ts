import type {
  CalloutFrame,
  CodeFrame,
  ImageFrame,
  SourcesFrame,
  StatusFrame,
  StepFrame,
  TextFrame,
  ThinkingFrame,
  ToolCallFrame,
} from './frame.ts';

/** A table whose rows are all there so far. */
export interface TablePart {
  readonly type: 'table';
  readonly headers: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** What frames add up to: a piece of an assistant's message as it is stored and read back. */
export type Part =
  | TextFrame
  | ThinkingFrame
  | CodeFrame
  | TablePart
  | CalloutFrame
  | ImageFrame
  | StatusFrame
  | StepFrame
  | ToolCallFrame
  | SourcesFrame;
