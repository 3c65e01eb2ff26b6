import { describe, expect, test } from 'vitest';
import { applyCompletion, type CompletionOption, matching, toOption } from './completion.ts';

const fields = (...texts: string[]): CompletionOption[] => texts.map(toOption('field'));
const textsOf = (options: readonly CompletionOption[], written: string) =>
  matching(options, written, 0)?.options.map(({ text }) => text);

describe('matching options', () => {
  // Fails when the order is that of the list.
  test('begin with what is written, before those that contain it', () => {
    expect(textsOf(fields('http.status', 'status', 'stamp', 'message'), 'sta')).toEqual([
      'status',
      'stamp',
      'http.status',
    ]);
  });

  // Fails when letter case counts.
  test('are found whatever their case', () => {
    expect(textsOf(fields('SELECT', 'select_all'), 'Sel')).toEqual(['SELECT', 'select_all']);
  });

  // Fails when the opening quote of an option has to be typed.
  test('are found without the opening quote, and with it', () => {
    const options = fields('"stdout"', '"stderr"', 'std');
    expect(textsOf(options, 'std')).toEqual(['"stdout"', '"stderr"', 'std']);
    expect(textsOf(options, '"std')).toEqual(['"stdout"', '"stderr"']);
  });

  // Fails when the list stays open after its only option was typed.
  test('are none once the only one is written', () => {
    expect(textsOf(fields('status'), 'status')).toBeUndefined();
    expect(textsOf(fields('status', 'status_code'), 'status')).toEqual(['status', 'status_code']);
    expect(textsOf(fields('status'), 'x')).toBeUndefined();
  });

  // Fails when thousands of values are rendered.
  test('are at most fifty', () => {
    const many = fields(...Array.from({ length: 200 }, (_, index) => `f${index}`));
    expect(textsOf(many, '')).toHaveLength(50);
    expect(matching(many, 'f1', 7)?.from).toBe(7);
  });
});

describe('a chosen option', () => {
  // Fails when a keyword lacks the space after it, or a field gets one.
  test.each<[CompletionOption, string, number]>([
    [{ text: 'AND', kind: 'word' }, 'a=1 AND  x', 8],
    [{ text: 'agent', kind: 'field' }, 'a=1 agent x', 9],
    [{ text: '"a b"', kind: 'value' }, 'a=1 "a b" x', 9],
  ])('%j replaces what is written', (option, text, caret) => {
    expect(applyCompletion('a=1 a x', 5, 4, option)).toEqual({ text, caret });
  });
});
