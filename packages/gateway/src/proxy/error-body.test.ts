import { expect, test } from 'vitest';
import { errorBody } from './error-body.ts';

const refusal = { status: 503 as const, message: 'Down. See `berth logs <x>`.' };

test.each([
  [undefined, 'text/plain'],
  ['*/*', 'text/plain'],
  ['text/plain, application/json;q=0.5', 'text/plain'],
  ['application/json', 'application/json'],
  ['application/problem+json, */*', 'application/json'],
  ['text/html;q=0.8, application/json', 'application/json'],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html'],
  ['application/json;q=0, text/html;q=0.1', 'text/html'],
  ['nonsense;;;q=x', 'text/plain'],
])('a client that accepts %j gets %s', (accept, type) => {
  expect(errorBody(refusal, accept).contentType).toContain(type);
});

test("JSON has the contract's shape, and a page escapes what it shows", () => {
  expect(JSON.parse(errorBody(refusal, 'application/json').text)).toEqual({ detail: refusal.message });
  expect(errorBody(refusal, 'text/html').text).toContain('<code>berth logs &lt;x&gt;</code>');
  expect(errorBody(refusal, undefined).text).toBe('503 Service unavailable\nDown. See `berth logs <x>`.\n');
});
