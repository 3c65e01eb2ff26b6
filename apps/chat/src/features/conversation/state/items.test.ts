import type { Part, UiFrame } from '@berth/contract/agent';
import { describe, expect, it } from 'vitest';
import {
  type AnswerItem,
  answerText,
  changeLastAnswer,
  EMPTY_ANSWER,
  type Item,
  type QuestionItem,
  questionText,
  toItem,
  toMessage,
  withCard,
} from './items.ts';

const question = (content: QuestionItem['content']): QuestionItem => ({ kind: 'question', content, attachments: [] });
const answer = (...parts: readonly Part[]): AnswerItem => ({ ...EMPTY_ANSWER, parts });
const text = (value: string): Part => ({ type: 'text', text: value });
const card = (key: string | undefined, label = ''): UiFrame => ({ type: 'ui', action: 'confirm', key, label });

describe('a stored message', () => {
  it('of the person keeps its content and its attachments', () => {
    const attachments = [{ name: 'a.txt', size: 1, type: 'text/plain', path: 'a.txt' }];
    expect(toItem({ role: 'user', content: 'hi', attachments })).toEqual({ ...question('hi'), attachments });
    expect(toItem({ role: 'user', content: 'hi' })).toEqual(question('hi'));
  });

  // Fails when an answer without parts, as older agents store it, is shown empty.
  it('of the agent has its parts, or its text where it has none', () => {
    expect(toItem({ role: 'assistant', content: 'a', parts: [text('b')] })).toEqual(answer(text('b')));
    expect(toItem({ role: 'assistant', content: 'a' })).toEqual(answer(text('a')));
  });

  // Fails when the cards that wait are lost at a reload, or drawn as parts.
  it('of the agent has the cards that wait', () => {
    const parts = [text('a'), { type: 'card', card: card('k') }];
    expect(toItem({ role: 'assistant', content: 'a', parts })).toEqual({ ...answer(text('a')), cards: [card('k')] });
  });

  it.each(['stopped', 'interrupted', 'failed'] as const)('that was %s says so', (status) => {
    expect(toItem({ role: 'assistant', content: '', status })).toMatchObject({ ending: status, isLive: false });
  });

  it('that ended as it should has no ending', () => {
    expect(toItem({ role: 'assistant', content: '' })).not.toHaveProperty('ending');
  });
});

describe('the text of a question', () => {
  it('is its content, or the text parts of it in order', () => {
    expect(questionText(question('hi'))).toBe('hi');
    const content = [
      { type: 'text' as const, text: 'one ' },
      { type: 'image' as const, image: 'a.png' },
      { type: 'text' as const, text: 'two' },
    ];
    expect(questionText(question(content))).toBe('one two');
  });
});

describe('the text of an answer', () => {
  it('joins its texts, without what the agent did on the way', () => {
    const parts: Part[] = [text('one'), { type: 'status', status: 'reading' }, text(' two')];
    expect(answerText(answer(...parts))).toBe('one two');
  });

  it('has code in a fence with its language', () => {
    expect(answerText(answer({ type: 'code', code: 'x = 1', language: 'python' }))).toBe('```python\nx = 1\n```');
    expect(answerText(answer({ type: 'code', code: 'x' }))).toBe('```\nx\n```');
  });

  it('has a callout as a quote', () => {
    expect(answerText(answer({ type: 'callout', callout: 'Careful.', style: 'warning' }))).toBe('> Careful.');
  });

  it('has a table in Markdown', () => {
    const table: Part = {
      type: 'table',
      headers: ['a', 'b'],
      rows: [
        ['1', '2'],
        ['3', '4'],
      ],
    };
    expect(answerText(answer(table))).toBe('| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |');
  });

  it('keeps parts of different kinds apart', () => {
    const parts: Part[] = [text('See:'), { type: 'code', code: 'x' }, text('Done.')];
    expect(answerText(answer(...parts))).toBe('See:\n\n```\nx\n```\n\nDone.');
  });
});

describe('a message to send', () => {
  it('has no list of attachments when nothing is attached', () => {
    expect(toMessage(question('hi'))).toEqual({ role: 'user', content: 'hi' });
  });

  it('has the attachments of its question', () => {
    const attachments = [{ name: 'a.txt', size: 1, type: 'text/plain', path: 'a.txt' }];
    expect(toMessage({ ...question('hi'), attachments })).toEqual({ role: 'user', content: 'hi', attachments });
  });

  it('has the text of an answer, for an agent that stores no chats', () => {
    expect(toMessage(answer(text('Hello.')))).toEqual({ role: 'assistant', content: 'Hello.' });
  });

  // Fails when why it was not sent, which only the page knows, is sent with it.
  it('has nothing that only the page knows', () => {
    const unsent: QuestionItem = { ...question('hi'), problem: 'offline', isWaiting: true };
    expect(toMessage(unsent)).toEqual({ role: 'user', content: 'hi' });
  });
});

describe('the last answer', () => {
  const items: readonly Item[] = [question('a'), answer(text('1')), question('b'), answer(text('2')), question('c')];

  it('is changed, and every other item stays the same object', () => {
    const changed = changeLastAnswer(items, { isLive: true });
    expect(changed[3]).toEqual({ ...items[3], isLive: true });
    expect(changed.filter((item, index) => item !== items[index])).toHaveLength(1);
  });

  it('may be missing: then nothing changes', () => {
    const none = [question('a')];
    expect(changeLastAnswer(none, { isLive: true })).toBe(none);
    expect(withCard(none, card('k'))).toBe(none);
  });

  it('gets a card after the others', () => {
    const twice = withCard(withCard(items, card('a')), card('b'));
    expect(twice[3]).toMatchObject({ cards: [{ key: 'a' }, { key: 'b' }] });
  });

  // Fails when a card that is sent again stands beside its first version: the person would decide twice.
  it('replaces a card that has the same key', () => {
    const twice = withCard(withCard(items, card('a', 'old')), card('a', 'new'));
    expect(twice[3]).toMatchObject({ cards: [{ key: 'a', label: 'new' }] });
  });

  it('keeps all cards without a key', () => {
    const twice = withCard(withCard(items, card(undefined, '1')), card(undefined, '2'));
    expect(twice[3]).toMatchObject({ cards: [{ label: '1' }, { label: '2' }] });
  });
});

// Fails when each suggestion is a card of its own, or replaces the one before.
it('suggestions that come one by one are one card', () => {
  const suggest = (value: string): UiFrame => ({ type: 'ui', action: 'suggest', text: value });
  const [item] = ['a', 'b', 'c'].reduce((items, value) => withCard(items, suggest(value)), [
    answer(),
  ] as readonly Item[]);
  expect(item).toMatchObject({ cards: [{ action: 'suggest', suggestions: ['a', 'b', 'c'] }] });
});
