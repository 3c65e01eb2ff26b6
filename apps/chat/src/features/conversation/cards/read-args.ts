import type { ToolArgs } from '../state/chat-calls.ts';

/** Parses edited tool arguments; undefined when `text` is not a JSON object. */
export function readArgs(text: string): ToolArgs | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as ToolArgs) : undefined;
  } catch {
    return undefined;
  }
}
