import { DEFAULT_POLICY } from '@berth/gateway/policy';
import { expect, test } from 'vitest';
import { parseOptions } from './parse-options.ts';

test('has defaults, and takes what is given', () => {
  const defaults = { services: 1_000, trace: 'diurnal', minInstances: 0, seconds: 3_600, seed: 1, isJson: false };
  expect(parseOptions([])).toEqual({ ...defaults, policy: DEFAULT_POLICY });
  const argv = [
    '--services',
    '20',
    '--trace',
    'flap',
    '--seconds=60',
    '--min-instances=2',
    '--seed',
    '0',
    '--idle-seconds',
    '90',
    '--json',
  ];
  const policy = { ...DEFAULT_POLICY, idleTimeoutMs: 90_000 };
  const given = { services: 20, trace: 'flap', minInstances: 2, seconds: 60, seed: 0, isJson: true, policy };
  expect(parseOptions(argv)).toEqual(given);
});

test.each([
  [['--trace', 'noise'], '--trace must be one of'],
  [['--services', '0'], '--services must be a whole number'],
  [['--services', '1e3'], '--services must be a whole number'],
  [['--seconds', '-1'], 'argument is ambiguous'],
  [['--seconds', ''], '--seconds must be a whole number'],
  [['--speed', '1'], "Unknown option '--speed'"],
  [['more'], 'Unexpected argument'],
])('refuses %j', (argv, message) => {
  expect(() => parseOptions(argv)).toThrow(message);
});
