import { expect, test } from 'vitest';
import { createShortcuts } from './create-shortcuts.ts';

function setup() {
  const done: string[] = [];
  let nowMs = 10_000;
  const press = createShortcuts(
    {
      'mod+k': () => done.push('palette'),
      'mod+shift+o': () => done.push('new'),
      'g d': () => done.push('deployments'),
      '?': () => done.push('help'),
    },
    () => nowMs,
  );
  const plain = { code: '', ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, isTyping: false };
  return {
    done,
    wait: (ms: number) => (nowMs += ms),
    type: (key: string, more = {}) => press({ ...plain, key, ...more }),
  };
}

test('runs what the keys say, and says so', () => {
  const { done, type } = setup();
  expect([type('k', { ctrlKey: true }), type('K', { metaKey: true }), type('?'), type('g'), type('d')]).toEqual([
    true,
    true,
    true,
    false,
    true,
  ]);
  expect(done).toEqual(['palette', 'palette', 'help', 'deployments']);
});

test('letters are letters while text is written, but for those with Ctrl', () => {
  const { done, type } = setup();
  for (const key of ['g', 'd', '?']) expect(type(key, { isTyping: true })).toBe(false);
  type('k', { ctrlKey: true, isTyping: true });
  expect(done).toEqual(['palette']);
});

test('two letters belong together when they come soon after another', () => {
  const { done, type, wait } = setup();
  type('g');
  wait(1_001);
  type('d');
  type('g');
  type('x');
  type('d');
  expect(done).toEqual([]);
  expect(type('constructor')).toBe(false);
});

test('Shift makes another shortcut of a letter with Ctrl', () => {
  const { done, type } = setup();
  type('O', { ctrlKey: true, shiftKey: true });
  expect(type('o', { ctrlKey: true })).toBe(false);
  expect(type('K', { ctrlKey: true, shiftKey: true })).toBe(false);
  expect(done).toEqual(['new']);
});

test('on a keyboard of another script the place of a key tells', () => {
  const { done, type } = setup();
  type('ن', { code: 'KeyK', ctrlKey: true });
  type('؟', { code: 'Slash', shiftKey: true });
  type('ل', { code: 'KeyG' });
  type('ي', { code: 'KeyD' });
  expect(done).toEqual(['palette', 'help', 'deployments']);
});
