import { expect, test } from 'vitest';
import { chooseArguments } from './operator-arguments.ts';

const VALUES = { REGISTRY: 'https://mirror', HTTPS_PROXY: 'http://proxy', OTHER: 'x' };

test('an argument of a stage that is left behind is given', () => {
  const text = 'FROM node AS build\nARG REGISTRY\nRUN npm ci\nFROM node\nCOPY --from=build /a /a';
  expect(chooseArguments(text, VALUES)).toEqual({
    given: { REGISTRY: 'https://mirror', HTTPS_PROXY: 'http://proxy' },
    withheld: [],
  });
});

test.each([
  ['FROM node\nARG REGISTRY'],
  ['FROM node\nARG A=1 \\\n  REGISTRY=default'],
  ['FROM node AS base\nARG REGISTRY\nFROM base'],
  ['ARG BASE=base\nFROM node AS base\nARG REGISTRY\nFROM $BASE'],
  ['FROM node\nONBUILD ARG REGISTRY'],
])('one that would end in the image is withheld: %j', (text) => {
  expect(chooseArguments(text, VALUES)).toEqual({ given: { HTTPS_PROXY: 'http://proxy' }, withheld: ['REGISTRY'] });
});

test('one for the names of images is given', () => {
  expect(chooseArguments('ARG REGISTRY\nFROM $REGISTRY/node', VALUES).withheld).toEqual([]);
});
