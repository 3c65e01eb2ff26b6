import { expect, test } from 'vitest';
import { flattenParts } from './flatten-part.ts';
import type { ComponentFrame, Part } from './frame.ts';
import { createPartsBuilder, mergeFrame, mergeFrames } from './merge-frame.ts';

test('text and thinking run on; a part of another type begins anew', () => {
  expect(
    mergeFrames([
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
      { type: 'thinking', thinking: 'x' },
      { type: 'thinking', thinking: 'y' },
      { type: 'text', text: 'c' },
    ]),
  ).toEqual([
    { type: 'text', text: 'ab' },
    { type: 'thinking', thinking: 'xy' },
    { type: 'text', text: 'c' },
  ]);
});

test('code runs on in its language', () => {
  expect(
    mergeFrames([
      { type: 'code', code: 'a', language: 'ts' },
      { type: 'code', code: 'b' },
      { type: 'code', code: 'c', language: 'py' },
    ]),
  ).toEqual([
    { type: 'code', code: 'ab', language: 'ts' },
    { type: 'code', code: 'c', language: 'py' },
  ]);
});

test('rows go to the open table; without one they open it', () => {
  expect(
    mergeFrames([
      { type: 'table', headers: ['a'] },
      { type: 'table', row: ['1'] },
      { type: 'table', row: ['2'] },
      { type: 'text', text: '-' },
      { type: 'table', row: ['3'] },
    ]),
  ).toEqual([
    { type: 'table', headers: ['a'], rows: [['1'], ['2']] },
    { type: 'text', text: '-' },
    { type: 'table', headers: [], rows: [['3']] },
  ]);
});

test('a status replaces the one before; a step is merged by its id wherever it is', () => {
  expect(
    mergeFrames([
      { type: 'status', status: 'looking' },
      { type: 'step', id: 's1', step: 'search', tool_name: 'search' },
      { type: 'text', text: 'hm' },
      { type: 'status', status: 'reading' },
      { type: 'step_arg', id: 's1', delta: '{"q":' },
      { type: 'step_arg', id: 's1', delta: '1}' },
      { type: 'step', id: 's1', ok: true, result: 'found' },
      { type: 'step', step: 'once' },
      { type: 'step', step: 'twice' },
    ]),
  ).toEqual([
    { type: 'status', status: 'reading' },
    { type: 'step', id: 's1', step: 'search', tool_name: 'search', args: '{"q":1}', ok: true, result: 'found' },
    { type: 'text', text: 'hm' },
    { type: 'step', step: 'once' },
    { type: 'step', step: 'twice' },
  ]);
});

test('components flatten to markdown, what has no text form to nothing', () => {
  const parts = mergeFrames([
    { type: 'thinking', thinking: 'hidden' },
    { type: 'text', text: 'See:' },
    { type: 'table', headers: ['a', 'b|c'] },
    { type: 'table', row: ['1'] },
    { type: 'code', code: 'x = "```"\n', language: 'py' },
    { type: 'callout', callout: 'two\nlines', style: 'info', title: 'Note' },
    { type: 'image', src: '/i.png', alt: 'a picture' },
    { type: 'status', status: 'hidden' },
    { type: 'step', step: 'hidden' },
  ]);
  expect(flattenParts(parts)).toBe(
    [
      'See:',
      '| a | b\\|c |\n| --- | --- |\n| 1 |  |',
      '````py\nx = "```"\n````',
      '> **Note**\n> two\n> lines\n',
      '![a picture](/i.png)',
    ].join('\n\n'),
  );
});

const FRAMES: readonly ComponentFrame[] = [
  { type: 'table', row: ['0'] },
  { type: 'table', row: ['1'] },
  { type: 'table', headers: ['a'] },
  { type: 'table', row: ['2'] },
  { type: 'table', row: ['3'] },
  { type: 'status', status: 'x' },
  { type: 'table', row: ['4'] },
  { type: 'table', row: ['5'] },
  { type: 'text', text: 'a' },
  { type: 'text', text: 'b' },
  { type: 'table', headers: [] },
  { type: 'table', row: ['6'] },
];

test('one by one and all at once come to the same, and nothing that was given out changes', () => {
  let parts: readonly Part[] = [];
  const seen: [readonly Part[], string][] = [];
  for (const frame of FRAMES) {
    parts = mergeFrame(parts, frame);
    seen.push([parts, JSON.stringify(parts)]);
  }
  expect(mergeFrames(FRAMES)).toEqual(parts);
  for (const [given, before] of seen) expect(JSON.stringify(given)).toBe(before);
});

test('a table of very many rows is added up in a time that grows with it alone', () => {
  const builder = createPartsBuilder();
  builder.add({ type: 'table', headers: ['n'] });
  for (let row = 0; row < 200_000; row++) builder.add({ type: 'table', row: [`${row}`] });
  // Copying the table for each row would take 20 billion steps, i.e. minutes.
  expect(builder.parts[0]).toMatchObject({ type: 'table', rows: { length: 200_000 } });
});
