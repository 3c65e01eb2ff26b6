import { expect, test } from 'vitest';
import { askFrame, suggestFrames } from './ui-frames.ts';

// Fails when the list is sent as one frame, or a suggestion is longer than pages expect.
test('each suggestion is a frame with its text', () => {
  // Holds the agent to the contract: verifies('ui.suggest')
  const frames = suggestFrames({ type: 'ui', action: 'suggest', suggestions: ['More', ' ', 'x'.repeat(300), 7] });
  expect(frames).toEqual([
    { type: 'ui', action: 'suggest', text: 'More' },
    { type: 'ui', action: 'suggest', text: 'x'.repeat(200) },
  ]);
  const one = { type: 'ui', action: 'suggest', text: 'Less' } as const;
  expect(suggestFrames(one)).toEqual([one]);
});

// Fails when a short form is not completed, the first question is not repeated, or a bound is not kept.
test.each<[string, Record<string, unknown>, unknown]>([
  [
    'a single question with options as text',
    { question: 'Which?', options: ['a', 'b'] },
    [{ question: 'Which?', options: [{ label: 'a' }, { label: 'b' }], multi_select: false }],
  ],
  [
    'a list of questions',
    {
      questions: [
        { question: 'One?', header: 'H', options: [{ label: 'a', description: 'A' }], multi_select: true },
        { question: 'Two?', options: [] },
      ],
    },
    [
      { question: 'One?', header: 'H', options: [{ label: 'a', description: 'A' }], multi_select: true },
      { question: 'Two?', options: [], multi_select: false },
    ],
  ],
  [
    'too much of everything',
    {
      questions: Array.from({ length: 5 }, () => ({
        question: 'q'.repeat(500),
        header: 'h'.repeat(30),
        options: Array.from({ length: 6 }, () => ({ label: 'l'.repeat(99), description: 'd'.repeat(200) })),
      })),
    },
    Array.from({ length: 3 }, () => ({
      question: 'q'.repeat(400),
      header: 'h'.repeat(24),
      options: Array.from({ length: 4 }, () => ({ label: 'l'.repeat(80), description: 'd'.repeat(160) })),
      multi_select: false,
    })),
  ],
])('a question has one form: %s', (_title, fields, questions) => {
  // Holds the agent to the contract: verifies('ui.ask')
  const frame = askFrame({ type: 'ui', action: 'ask', ...fields });
  expect(frame['questions']).toEqual(questions);
  const [first] = questions as { question: string; options: unknown; multi_select: boolean }[];
  expect(frame).toMatchObject({
    question: first?.question,
    options: first?.options,
    multi_select: first?.multi_select,
  });
});
