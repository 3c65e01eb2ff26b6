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

/** A table with its rows so far. */
export interface TablePart {
  readonly type: 'table';
  readonly headers: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A part of an assistant's message: the result of merging frames, as it is stored. */
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
