import { createError } from '@berth/contract/errors';
import { BerthError } from '@berth/kit';
import { expect, test } from 'vitest';
import type { Target } from '../config/resolve-target.ts';
import { UsageError } from '../errors/usage-error.ts';
import { describeFailure } from './describe-failure.ts';

const target: Target = { baseUrl: 'https://b.test', urlFrom: '--url', credentialFrom: '--key' };
const connection = (details: object) => createError('unavailable', "Can't reach it.", { details: { ...details } });
const hintsOf = (error: unknown, at: Target | undefined = target) => describeFailure(error, at).hints ?? [];

test('an unreachable server is explained by where its address came from', () => {
  const failure = connection({ network: 'ECONNREFUSED', address: target.baseUrl });
  expect(hintsOf(failure)).toEqual(['The URL came from --url. Check that it is right and that the server is running.']);
  expect(hintsOf(failure, { ...target, urlFrom: 'the default' })).toEqual([
    'Start a server with `berth start`, or give its URL with --url or BERTH_URL.',
  ]);
});

test('another server that is away is not explained by the address of the platform', () => {
  // Fails when the addresses aren't compared: `berth chat` would blame BERTH_URL for an agent that is away.
  expect(hintsOf(connection({ network: 'ECONNREFUSED', address: 'https://agent.test' }))).toEqual([]);
  // Fails when `network: lost` isn't looked at: the platform was reached, and its address is right.
  expect(hintsOf(connection({ network: 'lost', address: target.baseUrl }))).toEqual([]);
});

test('a refused key says where it came from, and a missing one where to get it', () => {
  const refused = createError('unauthenticated', 'No such key.');
  expect(hintsOf(refused)).toEqual(['The key came from --key. Sign in again with `berth login`.']);
  const { credentialFrom: _, ...keyless } = target;
  expect(hintsOf(refused, keyless)).toEqual(['Sign in with `berth login`, or set BERTH_API_KEY.']);
  expect(hintsOf(refused, { ...keyless, urlFrom: 'the default' })).toEqual([expect.stringContaining('`berth start`')]);
});

test('a fault of the server is told with the id that finds it in the log', () => {
  const fault = createError('internal', 'Something broke.', { details: { requestId: 'req_7' } });
  expect(hintsOf(fault)).toEqual(['Search the log of https://b.test for request req_7.']);
  // Fails when every error names its request: it helps no one with a 404.
  expect(hintsOf(createError('not_found', 'No.', { details: { requestId: 'req_7' } }))).toEqual([]);
});

test('a cause stays out of the details, which --json prints', () => {
  const details = { cause: { headers: { 'x-api-key': 'secret' } }, path: '/a' };
  const failure = describeFailure(new BerthError({ code: 'x', status: 400, message: 'No.', details }), target);
  expect(failure.details).toEqual({ path: '/a' });
});

test('an error of the file system is a sentence, not a fault of the command', () => {
  const error = Object.assign(new Error("ENOENT: no such file, open 'a'"), { code: 'ENOENT', syscall: 'open' });
  expect(describeFailure(error, undefined)).toEqual({ code: 'system', message: "ENOENT: no such file, open 'a'." });
  expect(describeFailure(Object.assign(error, { path: '/a' }), undefined).message).toBe('/a does not exist.');
});

test('anything else is a fault of the command, with its stack', () => {
  expect(describeFailure(new TypeError('x is undefined'), target)).toMatchObject({
    code: 'internal',
    message: expect.stringMatching(
      /^This is a bug in the berth command\. Report it with these lines:\nTypeError: x is undefined\n {4}at /,
    ),
  });
  expect(describeFailure('thrown text', target).message).toContain('thrown text');
});

// Fails when `describeFailure` leaves out `cleanText`: a berth.json, a file's name and an answer are texts of others.
test.each([
  new UsageError('berth.json: "\u001b]0;owned\u0007a" is no setting'),
  createError('invalid', '\u001b[2Ja'),
  Object.assign(new Error('EACCES: \u001b[31ma'), { code: 'EACCES', syscall: 'open' }),
  new Error('\u009b31ma'),
])('what the message quotes does not reach the terminal as a command: %s', (error) => {
  expect(describeFailure(error, target).message).toMatch(/^[\P{Cc}\n\t]*$/u);
});
