import { expect, it } from 'vitest';
import { Interrupted } from '../errors/interrupted.ts';
import { createInterrupts } from './interrupts.ts';

function open() {
  const exits: number[] = [];
  let nowMs = 0;
  const interrupts = createInterrupts({ exit: (code) => exits.push(code), monotonicMs: () => nowMs });
  const press = (afterMs = 1_000, signal: 'SIGINT' | 'SIGTERM' = 'SIGINT') => {
    nowMs += afterMs;
    interrupts.onSignal(signal);
  };
  return { interrupts, exits, press };
}

it('aborts at the first, exits at the second, and takes two at once for one', () => {
  const { interrupts, exits, press } = open();
  press();
  press(10);
  expect(interrupts.signal.reason).toBeInstanceOf(Interrupted);
  expect(exits).toEqual([]);
  press();
  expect(exits).toEqual([130]);
});

it('gives the next one to who took it, once', () => {
  const { interrupts, exits, press } = open();
  let taken = 0;
  interrupts.take(() => taken++);
  press();
  press(10);
  expect([taken, interrupts.signal.aborted]).toEqual([1, false]);
  press();
  expect([taken, interrupts.signal.aborted, exits.length]).toEqual([1, true, 0]);
});

it('gives none to who let go, and SIGTERM to nobody', () => {
  const { interrupts, press } = open();
  let taken = 0;
  interrupts.take(() => taken++)[Symbol.dispose]();
  interrupts.take(() => taken++);
  press(1_000, 'SIGTERM');
  expect([taken, interrupts.signal.reason?.exitCode]).toEqual([0, 143]);
});
