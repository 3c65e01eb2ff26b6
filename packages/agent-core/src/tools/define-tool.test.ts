import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineTool, type ToolDefinition } from './define-tool.ts';
import type { ToolContext } from './tool.ts';

const INPUT = z.object({ path: z.string().min(1), mode: z.enum(['r', 'w']).default('r') });
const CONTEXT = {} as ToolContext;

const define = (changes: Partial<ToolDefinition<typeof INPUT>> = {}) =>
  defineTool({ name: 'read_file', description: 'Reads a file.', input: INPUT, run: (input) => input, ...changes });

describe('a definition', () => {
  // Fails when a tool that says nothing about itself counts as harmless: it would run without being asked for.
  test('has defaults that assume the worst', () => {
    expect(define()).toMatchObject({ name: 'read_file', risk: 'write', timeoutMs: 120_000 });
    expect(define().unavailable).toBeUndefined();
  });

  // Fails when the bound is off by one, or characters are let through that model APIs refuse: the whole turn would fail.
  test('is refused when models do not accept its name or input', () => {
    for (const name of ['a', 'A-z_9', 'x'.repeat(64)]) expect(define({ name }).name).toBe(name);
    for (const name of ['', 'x'.repeat(65), 'read file', 'read.file', 'ü', 'a\n']) {
      expect(() => define({ name })).toThrow(RangeError);
    }
    const list = { name: 'list', description: '', input: z.array(z.string()), run: () => undefined };
    expect(() => defineTool(list)).toThrow(/must be a z\.object/);
  });

  // Fails when the schema is that of the parsed value: the model would have to send what has a default.
  test('tells the model what to send', () => {
    expect(define().inputSchema).toMatchObject({ type: 'object', required: ['path'] });
    expect(define().inputSchema).not.toHaveProperty('$schema');
  });

  // Fails when a part is left out of the hash: an approval of the old definition would hold for the new one.
  test('has a hash of all that a person approved, and of nothing else', () => {
    const { definitionHash } = define();
    expect(define({ label: () => 'x', timeoutMs: 1, run: () => 1 }).definitionHash).toBe(definitionHash);
    const other = z.object({ path: z.string() });
    const changed = [
      define({ name: 'read_files' }),
      define({ description: 'Reads any file.' }),
      define({ risk: 'read' }),
      defineTool({ name: 'read_file', description: 'Reads a file.', input: other, run: () => undefined }),
    ];
    expect(new Set([definitionHash, ...changed.map((tool) => tool.definitionHash)]).size).toBe(5);
  });
});

describe('a call', () => {
  // Fails when a tool runs with arguments that its input doesn't accept, or without the defaults.
  test('runs with checked arguments only', async () => {
    const tool = define();
    expect(tool.run({ path: 'a', extra: 1 }, CONTEXT)).toEqual({ path: 'a', mode: 'r' });
    expect(() => tool.run({ path: '' }, CONTEXT)).toThrow();
    expect(() => tool.run({}, CONTEXT)).toThrow();
    expect([tool.check({ path: 'a' }), tool.check({ path: 5 })]).toEqual([undefined, expect.stringContaining('path')]);
  });

  // Fails when a label is shown as the model made it: it could look like another call, or hide its end.
  test('is shown on one bounded line, by its name when there is nothing better', () => {
    const label = (args: Readonly<Record<string, unknown>>, make: (input: { path: string }) => string) =>
      define({ label: make }).label(args);
    expect(label({ path: 'a\n\u202eb' }, ({ path }) => `Read ${path}`)).toBe('Read a b');
    expect(label({ path: 'x'.repeat(500) }, ({ path }) => path)).toHaveLength(200);
    expect(label({ path: 5 }, ({ path }) => path)).toBe('read_file');
    expect(label({ path: 'a' }, () => ' ')).toBe('read_file');
    expect(define().label({ path: 'a' })).toBe('read_file');
  });
});
