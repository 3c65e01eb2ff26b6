import { type ComponentFrame, flattenParts, mergeFrames } from '@berth/contract/agent';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFlattener } from './create-flattener.ts';

const word = fc.constantFrom('', 'a', 'b c', '`', '```', 'x|y', 'two\nlines');
const id = fc.constantFrom('s1', 's2');

const frames: fc.Arbitrary<ComponentFrame> = fc.oneof(
  { weight: 3, arbitrary: word.map((text) => ({ type: 'text' as const, text })) },
  word.map((thinking) => ({ type: 'thinking' as const, thinking })),
  word.map((code) => ({ type: 'code' as const, code })),
  word.map((code) => ({ type: 'code' as const, code, language: 'ts' })),
  fc.array(word, { maxLength: 3 }).map((headers) => ({ type: 'table' as const, headers })),
  fc.array(word, { maxLength: 4 }).map((row) => ({ type: 'table' as const, row })),
  word.map((callout) => ({ type: 'callout' as const, callout, style: 'info' as const })),
  word.map((src) => ({ type: 'image' as const, src })),
  word.map((status) => ({ type: 'status' as const, status })),
  fc.constant({ type: 'step' as const, step: 'once' }),
  id.map((step) => ({ type: 'step' as const, id: step, ok: true })),
  id.map((step) => ({ type: 'step_arg' as const, id: step, delta: '{' })),
  id.map((call) => ({ type: 'tool_call' as const, id: call, tool: 't', args: {} })),
  id.map((source) => ({ type: 'sources' as const, id: source, sources: [{ title: 't', url: 'u' }] })),
);

test('what it gives bit by bit is what the merged message flattens to', () => {
  fc.assert(
    fc.property(fc.array(frames, { maxLength: 30 }), (list) => {
      const flattener = createFlattener();
      const text = list.map((frame) => flattener.add(frame)).join('') + flattener.end();
      expect(text).toBe(flattenParts(mergeFrames(list)));
    }),
    { numRuns: 2_000 },
  );
});

test('text is given as it comes', () => {
  const flattener = createFlattener();
  expect(['a', 'b', 'c'].map((text) => flattener.add({ type: 'text', text }))).toEqual(['a', 'b', 'c']);
});
