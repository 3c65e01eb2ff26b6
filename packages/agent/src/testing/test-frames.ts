import { AssertionError } from 'node:assert';
import type { Frame, Part } from '@berth/contract/agent';

/** A call of a tool in a turn. */
export interface ToolCallRecord {
  readonly id?: string;
  readonly tool: string;
  /** The arguments, parsed; as text if they are no JSON. */
  readonly args: unknown;
  /** False for a call that failed, was refused or waits for approval. Undefined for one that did not end. */
  readonly ok?: boolean;
  /** What the tool returned, as text of at most 3,000 characters. */
  readonly result?: string;
  readonly connector?: string;
}

/** A pattern of a frame: a value matches itself, a regular expression matches text, and an object matches one that has its fields. */
export type FramePattern = { readonly type: Frame['type']; readonly [field: string]: unknown };

/**
 * Checks that frames which match the patterns were sent in this order; others may lie between them.
 * @throws AssertionError naming the first pattern that no frame matches, and the frames that were sent.
 */
export function assertFrames(frames: readonly Frame[], patterns: readonly FramePattern[]): void {
  let at = 0;
  for (const [index, pattern] of patterns.entries()) {
    const found = frames.findIndex((frame, place) => place >= at && matches(frame, pattern));
    if (found === -1) {
      const after = index === 0 ? '' : ` after the one before it`;
      throw new AssertionError({
        message: `No frame matches pattern ${index + 1}${after}: ${show(pattern)}\nThe frames were:\n${frames.map((frame) => `  ${show(frame)}`).join('\n')}`,
        actual: frames,
        expected: patterns,
        operator: 'assertFrames',
      });
    }
    at = found + 1;
  }
}

function matches(actual: unknown, pattern: unknown): boolean {
  if (pattern instanceof RegExp) return typeof actual === 'string' && new RegExp(pattern).test(actual);
  if (Array.isArray(pattern)) {
    return (
      Array.isArray(actual) &&
      actual.length === pattern.length &&
      pattern.every((one, index) => matches(actual[index], one))
    );
  }
  if (typeof pattern !== 'object' || pattern === null) return Object.is(actual, pattern);
  if (typeof actual !== 'object' || actual === null) return false;
  return Object.entries(pattern).every(([key, value]) => matches((actual as Record<string, unknown>)[key], value));
}

function show(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) => (one instanceof RegExp ? String(one) : one));
}

/** Joins adjacent pieces of text, of thinking, and of one call's arguments. */
export function joinFrames(frames: readonly Frame[]): readonly Frame[] {
  const joined: Frame[] = [];
  for (const frame of frames) {
    const both = joinTwo(joined.at(-1), frame);
    if (both) joined[joined.length - 1] = both;
    else joined.push(frame);
  }
  return joined;
}

function joinTwo(last: Frame | undefined, next: Frame): Frame | undefined {
  if (last?.type === 'text' && next.type === 'text') return { ...last, text: last.text + next.text };
  if (last?.type === 'thinking' && next.type === 'thinking')
    return { ...last, thinking: last.thinking + next.thinking };
  if (last?.type === 'step_arg' && next.type === 'step_arg' && last.id === next.id) {
    return { ...last, delta: last.delta + next.delta };
  }
  return undefined;
}

/** Returns the calls of tools among the parts of an answer. */
export function toolCallsOf(parts: readonly Part[]): readonly ToolCallRecord[] {
  return parts.flatMap((part): ToolCallRecord[] => {
    if (part.type !== 'step' || part.tool_name === undefined) return [];
    const { id, tool_name: tool, args, ok, result, connector } = part;
    return [
      {
        tool,
        args: parseArgs(args),
        ...(id !== undefined && { id }),
        ...(ok !== undefined && { ok }),
        ...(result !== undefined && { result }),
        ...(connector !== undefined && { connector }),
      },
    ];
  });
}

function parseArgs(args: unknown): unknown {
  if (typeof args !== 'string') return args;
  try {
    return JSON.parse(args);
  } catch {
    return args;
  }
}
