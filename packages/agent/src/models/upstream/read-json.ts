import { ModelError } from '../model-error.ts';

/** A JSON object of an event, not yet validated. */
export type Loose = Readonly<Record<string, unknown>>;

/** Parses a JSON object. @throws ModelError `malformed` for anything else. */
export function readObject(name: string, text: string): Loose {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Loose;
  throw new ModelError('malformed', `${name} sent an event that is not a JSON object: ${text.slice(0, 200)}`);
}

/** Returns the value if it is an object, else an empty object. */
export function objectOf(value: unknown): Loose {
  return typeof value === 'object' && value !== null ? (value as Loose) : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Returns a count of tokens; 0 for anything but a number. */
export function countOf(value: unknown): number {
  return typeof value === 'number' && value > 0 ? Math.round(value) : 0;
}
