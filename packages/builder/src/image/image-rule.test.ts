import { expect, test } from 'vitest';
import { createImageRule, isImagePattern, OFFICIAL, OFFICIAL_IMAGES } from './image-rule.ts';

test.each([
  ['node', 'node', true],
  ['node', 'node:24-slim', true],
  ['node', 'docker.io/library/node:24', true],
  ['node', 'index.docker.io/library/node', true],
  ['node', 'library/node', true],
  ['node', `node@sha256:${'a'.repeat(64)}`, true],
  ['node', 'nodes', false],
  ['node', 'node/x', false],
  ['node', 'localhost/node', false],
  ['node', 'evil.example/node', false],
  ['node', 'evil.example/library/node', false],
  ['node', 'localhost:5000/node', false],
  ['node:24', 'node:24', true],
  ['node:24', `node:24@sha256:${'a'.repeat(64)}`, true],
  ['node:24', 'node:24-slim', false],
  ['node:24', 'node', false],
  ['node:latest', 'node', true],
  ['mirror.example/team/*', 'mirror.example/team/a/b:1', true],
  ['mirror.example/team/*', 'mirror.example/teams/a', false],
  ['mirror.example/team/*', 'mirror.example/team', false],
  ['mirror.example:5000/*', 'mirror.example:5000/x', true],
  ['team/*', 'docker.io/team/x', true],
  ['team/*', 'evil.example/team/x', false],
  ['library/*', 'anything', true],
  ['*', 'anywhere.example/x', true],
  [OFFICIAL, 'python:3.13-slim', true],
  [OFFICIAL, 'ghcr.io/astral-sh/uv:0.9', true],
  [OFFICIAL, 'shop', false],
  [OFFICIAL, 'berth-base/node', false],
])('%s: %s is %s', (pattern, image, expected) => {
  expect(createImageRule([pattern], [])(image)).toBe(expected);
});

test('what the operator names elsewhere is just that image, whatever characters it has', () => {
  const isAllowed = createImageRule([], ['mirror.example/node:24', '*']);
  expect(isAllowed('mirror.example/node:24')).toBe(true);
  expect(isAllowed('mirror.example/node:25')).toBe(false);
  expect(isAllowed('node')).toBe(false);
});

test('patterns with a wildcard elsewhere than at their end are none, and all of the official ones are', () => {
  for (const wrong of ['', '*/node', 'no*de', 'a b', '-x', '**']) expect(isImagePattern(wrong)).toBe(false);
  for (const one of [...OFFICIAL_IMAGES, '*', 'a.example:5000/*']) expect(isImagePattern(one)).toBe(true);
});
